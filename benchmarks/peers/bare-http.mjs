/** Reads each request, sends an empty answer, and prints its address: it shows the cost of a request over loopback. */
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
