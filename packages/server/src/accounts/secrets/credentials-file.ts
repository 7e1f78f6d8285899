import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

export interface AdminCredentials {
  email: string;
  password: string;
}

/** The only place where an initial password is ever shown. */
export function credentialsPath(home: string): string {
  return join(home, 'admin_initial_credentials.txt');
}

export function writeCredentials(
  home: string,
  label: 'initial' | 'reset',
  credentials: AdminCredentials,
): void {
  const lines = [
    `# Switchyard administrator (${label} password).`,
    '# Sign in, change the password, and delete this file.',
    `email: ${credentials.email}`,
    `password: ${credentials.password}`,
  ];
  writePrivateFile(credentialsPath(home), `${lines.join('\n')}\n`);
}

export function readCredentials(home: string): AdminCredentials | undefined {
  const text = readPrivateFile(credentialsPath(home)) ?? '';
  const email = /^email: (.+)$/m.exec(text)?.[1];
  const password = /^password: (.+)$/m.exec(text)?.[1];
  return email && password ? { email, password } : undefined;
}
