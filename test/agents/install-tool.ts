/** `install [name...]`: the real CLIs into the cache, one after the other. */
import { agentId, selectAgents } from './catalogue.ts';
import { installAgent, isInstalled } from './install.ts';

for (const agent of selectAgents(process.argv.slice(2))) {
  const state = isInstalled(process.cwd(), agent) ? 'is there' : 'installed';
  await installAgent(process.cwd(), agent);
  console.log(`${agentId(agent)} ${state}`);
}
