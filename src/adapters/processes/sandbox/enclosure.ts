/** What `process.ts` needs to know of a sandbox. Types only. */
import type { ProcessSpec } from '../process.ts';

/** What a program runs in: a container, or whatever else keeps it apart (§13.8). */
export interface Enclosure {
  /** The program that starts it inside; `env` holds the cookie. */
  enclose(spec: Pick<ProcessSpec, 'argv' | 'cwd' | 'env' | 'cookie'> & { readonly hasInput: boolean }): {
    readonly argv: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    /** As whom; null: as ourselves. */
    readonly user: { readonly uid: number; readonly gid: number } | null;
    /** Descriptors it gets besides the usual three, from number 3 on; 'ignore': none. */
    readonly files: readonly (number | 'ignore')[];
  };
  /** Contract: nothing of the session lives inside. */
  end(cookie: string): Promise<void>;
  /** Contract: why the program did not start inside; null: it did. */
  findStartError(exitCode: number | null, printed: string): string | null;
}
