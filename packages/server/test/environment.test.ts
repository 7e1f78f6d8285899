import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterEach, describe, expect, it } from 'vitest';

let gateway: DevGateway | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

describe('the name of the environment', () => {
  it('is told with its colour to users who are signed in, and to no stranger', async () => {
    const environment = { name: 'Staging', color: 'amber' } as const;
    gateway = await startGateway({ config: { ui: { environment } } });
    const session = await gateway.register('ada@example.com');
    expect(await session.get('/api/v1/auth/me')).toMatchObject({ email: 'ada@example.com', environment });
    const refused = await gateway.fetch('/api/v1/auth/me');
    expect([refused.status, await refused.text()]).toEqual([401, expect.not.stringContaining('Staging')]);
  });

  it('is null where the operator has given none, whatever the colour', async () => {
    gateway = await startGateway({ config: { ui: { environment: { color: 'red' } } } });
    const session = await gateway.register('ada@example.com');
    expect(await session.get('/api/v1/auth/me')).toMatchObject({ environment: null });
  });
});
