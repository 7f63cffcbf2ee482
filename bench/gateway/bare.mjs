// The bare script: reads line protocol 1 at a port and posts each event at once, keeping nothing.
// Its parent sends `{ url, token }`; it answers with its port.
import { createServer } from 'node:net';
import { encodeLine1, parseLine } from '#devices';

process.once('message', (message) => {
  const { url, token } = /** @type {{ url: string, token: string }} */ (message);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/cloudevents+json',
  };
  const server = createServer((socket) => {
    socket.setNoDelay(true).setEncoding('latin1');
    socket.write(encodeLine1({ type: 'Q' }));
    let rest = '';
    socket.on('data', (text) => {
      const lines = (rest + String(text)).split('\n');
      rest = lines.pop() ?? '';
      for (const each of lines) {
        const parsed = parseLine(each);
        if (parsed.is !== 'line' || parsed.line.type !== 'E') continue;
        const { boot, seq, event } = parsed.line;
        const body = JSON.stringify({
          ...{ specversion: '1.0', type: `shoeprint.${event.type}.v1`, source: 'device/BARE-line' },
          ...{ id: `BARE-line/${boot}/${seq}`, time: new Date().toISOString(), table: 'BARE' },
          ...(event.type.startsWith('device-') ? {} : { shoe: 'bare' }),
          ...{ session: String(boot), sequence: seq, data: event.data },
        });
        void fetch(`${url}/v1/events`, { method: 'POST', headers, body }).then(async (answer) => {
          await answer.arrayBuffer();
          if (answer.status !== 202) throw new Error(`the server answered ${answer.status}`);
          socket.write(encodeLine1({ type: 'A', boot, seq }));
        });
      }
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (server.address());
    process.send?.(address.port);
  });
});
process.once('disconnect', () => process.exit());
