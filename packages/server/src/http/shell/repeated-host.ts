import { AppError } from '../../lib/app-error.ts';

/** RFC 9112, 3.2: a proxy in front may have used the second header. Node keeps the first and reports nothing. */
export function refuseRepeatedHost(rawHeaders: readonly string[] | undefined): void {
  if (rawHeaders === undefined) return;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw new AppError('host_repeated');
}
