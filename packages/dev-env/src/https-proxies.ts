import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveNginx } from './nginx.ts';
import { type RunningProxy, recipeWith, startProxy } from './proxy-process.ts';

export interface HttpsProxyOptions {
  folder: string;
  port: number;
  /** For plain HTTP, which leads to HTTPS. */
  plainPort: number;
  gatewayPort: number;
  /** As PEM, for the name that the recipe has. */
  certificate: { cert: string; key: string };
}

/** Proxies with TLS before one gateway, with the files of deploy/proxies as they stand, but for ports and the certificate. */
export const httpsProxies = {
  nginx(options: HttpsProxyOptions): Promise<RunningProxy> {
    const { folder, port, plainPort, gatewayPort } = options;
    const { cert, key } = writeCertificate(options);
    const text = recipeWith('proxies/nginx.conf', [
      ['listen 80;', `listen 127.0.0.1:${plainPort};`],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['https://$host$request_uri', `https://$host:${port}$request_uri`],
      ['/etc/ssl/switchyard/fullchain.pem', cert],
      ['/etc/ssl/switchyard/privkey.pem', key],
      ['server 127.0.0.1:7300;', `server 127.0.0.1:${gatewayPort};`],
    ]);
    return serveNginx({ folder, text, url: `http://127.0.0.1:${plainPort}` });
  },

  caddy(options: HttpsProxyOptions): Promise<RunningProxy> {
    const { folder, port, plainPort, gatewayPort } = options;
    const { cert, key } = writeCertificate(options);
    const recipe = recipeWith('proxies/Caddyfile', [
      ['/etc/ssl/switchyard/fullchain.pem', cert],
      ['/etc/ssl/switchyard/privkey.pem', key],
      ['127.0.0.1:7300', `127.0.0.1:${gatewayPort}`],
    ]);
    const ports = `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n}\n`;
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, ports + recipe);
    return startProxy({
      program: 'caddy',
      args: ['run', '--config', file, '--adapter', 'caddyfile'],
      env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      url: `http://127.0.0.1:${plainPort}`,
    });
  },

  haproxy(options: HttpsProxyOptions): Promise<RunningProxy> {
    const { folder, port, plainPort, gatewayPort } = options;
    const { both } = writeCertificate(options);
    const recipe = recipeWith('proxies/haproxy.cfg', [
      ['bind :80', `bind 127.0.0.1:${plainPort}`],
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/ssl/switchyard/switchyard.pem', both],
      ['127.0.0.1:7300', `127.0.0.1:${gatewayPort}`],
    ]);
    // Only root may become somebody else.
    const text = process.getuid?.() === 0 ? recipe : recipe.replace(/^ {2}(user|group) haproxy\n/gm, '');
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, text);
    return startProxy({
      program: 'haproxy',
      args: ['-db', '-f', file],
      url: `http://127.0.0.1:${plainPort}`,
    });
  },
};

export type HttpsProxyName = keyof typeof httpsProxies;

function writeCertificate({
  folder,
  certificate,
}: HttpsProxyOptions): Record<'cert' | 'key' | 'both', string> {
  mkdirSync(folder, { recursive: true });
  const paths = {
    cert: join(folder, 'fullchain.pem'),
    key: join(folder, 'privkey.pem'),
    both: join(folder, 'switchyard.pem'),
  };
  writeFileSync(paths.cert, certificate.cert);
  writeFileSync(paths.key, certificate.key, { mode: 0o600 });
  writeFileSync(paths.both, certificate.cert + certificate.key, { mode: 0o600 });
  return paths;
}
