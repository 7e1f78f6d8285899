/** Reads what it is sent, answers with nothing, and prints its address: what a request over loopback costs by itself. */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
