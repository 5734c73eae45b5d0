/** `runner ui`: serves the pages that show a run, until a signal ends it. Only `--control` lets them change something. */
import { dirname } from 'node:path';
import { openBrowser } from '../../adapters/processes/browser.ts';
import { withWorkTreeLast } from '../../adapters/processes/search-path.ts';
import { pageFiles } from '../../adapters/files/page-files.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import { isLoopback } from '../../core/views/http-request.ts';
import type { SignalName } from '../../core/types.ts';
import { startServer } from '../../ui/server.ts';
import { exitOfSignal } from '../exit-codes.ts';
import { processInterrupts } from '../interrupts.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { uiControl } from '../wire/control.ts';
import { uiSource } from '../wire/ui.ts';

const usualPort = 3001;
const usualHost = '127.0.0.1';

export async function run(settings: Settings, { options }: CommandCall): Promise<number> {
  await requireFolder(settings);
  const interrupts = processInterrupts({ onFirst: () => {}, killNow: async () => {} });
  const signalled = new Promise<SignalName>((resolve) => interrupts.subscribe(resolve));
  try {
    const host = typeof options['host'] === 'string' ? options['host'] : usualHost;
    const pages = await pageFiles(settings.entryFile);
    const server = await startServer({
      directory: settings.directory,
      source: uiSource(settings),
      pages,
      host,
      port: typeof options['port'] === 'number' ? options['port'] : usualPort,
      isStatic: options['static'] === true,
      control: options['control'] === true ? uiControl(settings) : null,
      onRefused: (line) => {
        if (!settings.quiet) settings.streams.err(`${line}\n`);
      },
    });
    const { address, port } = server;
    printLine(settings, `ui: address=${address} port=${port}`, { command: 'ui', address, port });
    const note = (text: string): void => {
      if (!settings.quiet) settings.streams.err(`note: ${text}\n`);
    };
    if ((await pages.list()).length === 0)
      note('the pages are not built, only the API is served (npm run build)');
    if (!isLoopback(host)) note('logs can contain secrets, and everyone with this address can read them');
    if (options['control'] === true)
      note('everyone with this address can start and stop runs; on other hosts it travels unencrypted');
    note('press Ctrl-C to stop');
    if (
      options['open'] === true &&
      !(await openBrowser(address, withWorkTreeLast(settings.env, settings.directory)))
    )
      note('could not open a browser');
    const signal = await signalled;
    await server.close();
    return exitOfSignal(signal);
  } finally {
    interrupts.close();
  }
}

/** The folder itself may appear later, as a link to the newest of several does; a name without a place for it is mistyped. */
async function requireFolder({ directory, quiet, streams }: Settings): Promise<void> {
  const isThere = await realFolder(directory).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await realFolder(dirname(directory));
  if (!quiet) streams.err(`note: there is no folder ${directory} yet; the pages fill when it appears\n`);
}
