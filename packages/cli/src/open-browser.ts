import { spawn } from 'node:child_process';

/** Opens the address in the user's browser. Where there is none, nothing happens: the banner shows the address anyway. */
export function openBrowser(url: string): void {
  const [command, ...args] = commandFor(process.platform, url);
  if (!command) return;
  const child = spawn(command, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

function commandFor(platform: NodeJS.Platform, url: string): string[] {
  if (platform === 'darwin') return ['open', url];
  if (platform === 'win32') return ['explorer.exe', url];
  return ['xdg-open', url];
}
