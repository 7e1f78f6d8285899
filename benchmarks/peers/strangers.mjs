/**
 * Strangers who hold as many resources of a gateway as they can: WebSockets that never sign in, and bodies that stop
 * half-way, each from an address of its own. Ended connections are opened again, so that there are always as many as
 * the gateway allows. Prints `here` once all have been answered or have sent their half.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const [port, sockets, halfBodies] = process.argv.slice(2).map(Number);
const againAfterMs = 1_000;
const half = 'x'.repeat(1_000_000);
let awaited = sockets + halfBodies;

function hold(index, send) {
  let isCounted = false;
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => send(socket, `10.1.${index >> 8}.${index & 255}`, count));
    socket.once('data', count);
    socket.on('error', () => undefined); // the gateway ended it during the send
    socket.once('close', () => setTimeout(open, againAfterMs));
  };
  const count = () => {
    if (isCounted) return;
    isCounted = true;
    awaited -= 1;
    if (awaited === 0) process.send('here');
  };
  open();
}

function askForSocket(socket, address) {
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: localhost\r\nX-Real-IP: ${address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
}

/** An unknown path accepts the largest body of all paths that need no session. */
function sendHalf(socket, address, sent) {
  socket.write(
    `POST /nowhere HTTP/1.1\r\nHost: localhost\r\nX-Real-IP: ${address}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 2000000\r\n\r\n',
  );
  socket.write(half, sent);
}

for (let index = 0; index < sockets; index += 1) hold(index, askForSocket);
for (let index = sockets; index < sockets + halfBodies; index += 1) hold(index, sendHalf);
