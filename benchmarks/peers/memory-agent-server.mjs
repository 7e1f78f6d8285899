/** `@langchain/langgraph-api` with the given graphs, in a folder that is removed afterwards. Prints its address. */
import { startServer } from '@langchain/langgraph-api/server';

const [cwd, graphs] = process.argv.slice(2);
const { host } = await startServer({
  port: 0,
  host: '127.0.0.1',
  // One worker for each client. With the ten of its command line, fewer runs would be active than on the other side.
  nWorkers: 64,
  cwd,
  graphs: JSON.parse(graphs),
});
console.log(`http://${host}`);
