/** For root no file is unreadable. */
export function asNobody<T>(look: () => T): T {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return look();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
