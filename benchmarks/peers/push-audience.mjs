/**
 * This number of WebSocket clients in one process. Prints `connected`, and `done` when all clients have received all
 * messages.
 */
import { WebSocket } from 'ws';

const [port, clients, messages] = process.argv.slice(2).map(Number);
let left = messages;
let open = 0;
for (let index = 0; index < clients; index += 1) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  socket.on('open', () => {
    open += 1;
    if (open === clients) process.send('connected');
  });
  socket.on('message', () => {
    left -= 1;
    if (left === 0) process.send('done');
  });
}
