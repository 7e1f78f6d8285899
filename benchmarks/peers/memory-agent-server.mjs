/** `@langchain/langgraph-api` with the graphs that it is told, below a folder that is gone afterwards. Prints its address. */
import { startServer } from '@langchain/langgraph-api/server';

const [cwd, graphs] = process.argv.slice(2);
const { host } = await startServer({
  port: 0,
  host: '127.0.0.1',
  // One for each client: with the ten of its command line fewer runs would be at work than the other side has.
  nWorkers: 64,
  cwd,
  graphs: JSON.parse(graphs),
});
console.log(`http://${host}`);
