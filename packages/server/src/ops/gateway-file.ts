import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The facts with which tools on this machine find a running gateway. */
export interface GatewayFile {
  url: string;
  /** The origin of ComfyUI's page, when it has one. */
  pageUrl?: string;
  pid: number;
  since: string;
}

const name = 'gateway.json';

/** Written when the gateway is ready. Readers see the whole file or no file. */
export function writeGatewayFile(dataHome: string, content: GatewayFile): void {
  const temporary = join(dataHome, `.${name}.${randomBytes(8).toString('hex')}`);
  writeFileSync(temporary, `${JSON.stringify(content)}\n`, { flag: 'wx', mode: 0o600 });
  renameSync(temporary, join(dataHome, name));
}

/** Returns null when there is no file or its content is invalid. A process that was killed leaves its file behind. */
export function readGatewayFile(dataHome: string): GatewayFile | null {
  try {
    const content: unknown = JSON.parse(readFileSync(join(dataHome, name), 'utf8'));
    return isGatewayFile(content) ? content : null;
  } catch {
    return null;
  }
}

/** Removes the file unless another process has written its own meanwhile. */
export function removeGatewayFile(dataHome: string, pid: number): void {
  if (readGatewayFile(dataHome)?.pid === pid) rmSync(join(dataHome, name), { force: true });
}

function isGatewayFile(content: unknown): content is GatewayFile {
  if (typeof content !== 'object' || content === null) return false;
  const { url, pid, since } = content as Partial<GatewayFile>;
  return typeof url === 'string' && typeof pid === 'number' && typeof since === 'string';
}
