import { describe, expect, it } from 'vitest';
import { isKeptForever, workerPathOf } from './page-paths.ts';

describe('the paths that are passed on to a worker', () => {
  it.each([
    '/assets/index-Bx1_9Zk2.js',
    '/extensions/core/widgetInputs.js',
    '/extensions/ComfyUI-Model-Manager/manager.js',
    '/templates/index.en.json',
    '/user.css',
    '/favicon.ico',
  ])('hold %s', (path) => {
    expect(workerPathOf(path, [])).toBe(path);
  });

  it.each([
    '/object_info',
    '/api/queue',
    '/ws',
    '/free',
    '/internal/logs',
    '/userdata/a.json/',
    '/pysssss/view/x.png',
    '/extensions/ComfyUI-Manager/js/a.js',
    '/extensions/comfyui_manager/a.js',
    '/manager/reboot',
    '/v2/customnode/installed',
    '/assets',
    '/assets/',
    '/assets//a.js',
    '/assets/../system_stats',
    '/assets/%2e%2e/system_stats',
    '/assets/a%2f..%2f..%2fsystem_stats',
    '/assets/..%5csystem_stats',
    '/assets/a%00.js',
    '/assets/%zz',
    'http://elsewhere/assets/a.js',
    `/assets/${'a'.repeat(1_000)}.js`,
  ])('do not hold %s', (path) => {
    expect(workerPathOf(path, [])).toBeNull();
  });

  it('are written again from their parts, without what stood behind them', () => {
    expect(workerPathOf('/extensions/my%20node/%61.js?v=1', [])).toBe('/extensions/my%20node/a.js');
  });

  it('hold what an administrator has listed, below it and below /api, with its query', () => {
    const listed = ['/pysssss', '/easyuse/prompt'];
    expect(workerPathOf('/pysssss/view/x.png', listed)).toBe('/pysssss/view/x.png');
    expect(workerPathOf('/api/easyuse/prompt/all?name=a', listed)).toBe('/easyuse/prompt/all?name=a');
    for (const path of ['/easyuse/reboot', '/pysssssss', '/manager/queue/start'])
      expect(workerPathOf(path, [...listed, '/manager'])).toBeNull();
  });

  it('are kept for ever when they have a hash of their content', () => {
    expect(isKeptForever('/assets/index-Bx1_9Zk2.js')).toBe(true);
    expect(isKeptForever('/assets/logo.svg')).toBe(false);
    expect(isKeptForever('/extensions/a/b-12345678.js')).toBe(false);
  });
});
