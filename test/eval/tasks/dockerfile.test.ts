/** What of an image a workspace can have; all else is told. */
import { expect, test } from 'vitest';
import { parseDockerfile } from '../../../src/eval/tasks/dockerfile.ts';

test('folder, files, variables and commands; what changes a machine is left out and told', () => {
  const found = parseDockerfile(`# a comment
FROM python:3.13-slim AS base
RUN apt-get update && \\
    # in between
    apt-get install -y git
WORKDIR /srv
WORKDIR app
ENV MODE=fast NAME="two words"
ENV OLD style
ENV PATH="/x:$PATH"
COPY data/ ./data/
COPY a.txt b.txt /srv/app/
COPY ["one name.txt", "other.txt"]
COPY --chown=1:1 . .
COPY --from=base /x /srv/app/x
COPY secret /etc/secret
COPY ../out .
COPY *.py .
RUN mkdir -p logs \\
  && touch logs/x
RUN ["sh", "-c", "true"]
RUN curl https://x.example/install | sh
RUN --mount=type=cache true
USER nobody
CMD ["sh"]
`);
  expect(found).toEqual({
    workdir: '/srv/app',
    copies: [
      { from: 'data', to: 'data', isInto: true },
      { from: 'a.txt', to: '', isInto: true },
      { from: 'b.txt', to: '', isInto: true },
      { from: 'one name.txt', to: 'other.txt', isInto: false },
      { from: '', to: '', isInto: true },
    ],
    commands: ['mkdir -p logs && touch logs/x', 'sh -c true'],
    env: { MODE: 'fast', NAME: 'two words', OLD: 'style' },
    notes: [
      'the image python:3.13-slim is not used: this machine must have its programs',
      'left out: RUN apt-get update && apt-get install -y git; install what the task needs yourself',
      'left out: ENV PATH=/x:$PATH',
      'left out: RUN curl https://x.example/install | sh; install what the task needs yourself',
      'left out: RUN --mount=type=cache true; install what the task needs yourself',
      'left out: USER nobody',
      'left out: COPY --from=base /x /srv/app/x',
      'left out: COPY secret /etc/secret',
      'left out: COPY ../out .',
      'left out: COPY *.py .',
    ],
  });
});

test('without WORKDIR it is /app; a command of a folder inside goes there; nothing at all is nothing', () => {
  expect(parseDockerfile('COPY x /app/x')).toMatchObject({
    workdir: '/app',
    copies: [{ from: 'x', to: 'x', isInto: false }],
  });
  expect(parseDockerfile('WORKDIR /app/sub\nRUN make\nWORKDIR ..\nRUN true')).toMatchObject({
    workdir: '/app',
    commands: ['mkdir -p sub && cd sub && make', 'true'],
  });
  expect(parseDockerfile('')).toEqual({ workdir: '/app', copies: [], commands: [], env: {}, notes: [] });
  expect(parseDockerfile('RUN a \\')).toMatchObject({ commands: ['a'] });
});
