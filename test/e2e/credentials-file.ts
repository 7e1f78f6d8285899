import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function credentialsFile(home: string): string {
  return join(home, 'admin_initial_credentials.txt');
}

export function readCredentials(home: string): { email: string; password: string } {
  const text = readFileSync(credentialsFile(home), 'utf8');
  const [, email = '', password = ''] = /^email: (.+)\npassword: (.+)$/m.exec(text) ?? [];
  return { email, password };
}
