import { expect, it } from 'vitest';
import { noProxies, proxyFor } from './proxy-rules.ts';

const [plain, secure] = ['http://plain:1', 'http://secure:2'];

it.each([
  ['http://a.example/', {}, plain],
  ['https://a.example/', {}, secure],
  ['https://a.example/', { https: null }, plain],
  ['http://a.example/', { http: null }, null],
  ['http://localhost:11434/v1', {}, null],
  ['http://127.0.0.9/', {}, null],
  ['http://[::1]:80/', {}, null],
  ['http://[::ffff:127.0.0.1]/', {}, null],
  ['http://127.0.0.9/', { loopback: true }, plain],
  ['http://a.example/', { except: '*' }, null],
  ['http://A.Example/', { except: 'x, a.example' }, null],
  ['http://deep.a.example/', { except: '.a.example' }, null],
  ['http://deep.a.example/', { except: 'b.example *.A.example' }, null],
  ['http://ba.example/', { except: 'a.example' }, plain],
  ['http://a.example:8080/', { except: 'a.example:8080' }, null],
  ['http://a.example/', { except: 'a.example:8080' }, plain],
  ['https://a.example/', { except: 'a.example:443' }, null],
  ['http://10.1.2.3/', { except: '10.0.0.0/8' }, null],
  ['http://11.1.2.3/', { except: '10.0.0.0/8,10.0.0.0/99,fd00::/8' }, plain],
  ['http://[fd00::5]/', { except: 'fd00::/8' }, null],
  ['http://[fd00::5]:81/', { except: '[fd00::5]:81' }, null],
  ['http://[fd00::5]/', { except: 'fd00::5' }, null],
])('%s with %j goes through %s', (url, settings, proxy) => {
  expect(proxyFor(new URL(url), { ...noProxies, http: plain, https: secure, ...settings })).toBe(proxy);
});
