import { describe, expect, it } from 'vitest';
import { seedOf } from './settings-seed.ts';

describe('the workers of the configuration file', () => {
  it('become one server with an instance each', () => {
    expect(seedOf(['192.168.1.20:8188', 'gpu.lan:8189', '[::1]:8190'])?.servers).toEqual([
      {
        id: 'workers',
        name: 'Workers',
        kind: 'comfyui',
        instances: [
          { ip: '192.168.1.20', port: 8188 },
          { ip: 'gpu.lan', port: 8189 },
          { ip: '::1', port: 8190 },
        ],
      },
    ]);
  });

  it('give no settings when the list is empty, so that the built-in worker stays', () => {
    expect(seedOf([])).toBeNull();
  });
});
