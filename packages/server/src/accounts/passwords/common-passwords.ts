import { readFileSync } from 'node:fs';

/** The documented list. It is short; `auth.password_blocklist_file` adds a larger one. */
const documented = `
  12345678 123456789 1234567890 abc12345 abcd1234 admin123 administrator baseball batman123 computer dragon123 football
  iloveyou jennifer letmein1 master123 michael1 monkey12 p@ssw0rd passw0rd password password1 password12 password123
  password1234 princess qwerty12 qwerty123 qwertyui shadow12 starwars sunshine superman trustno1 welcome1 welcome123`;

/** The documented list and, if there is a file, the passwords in it. */
export function readCommonPasswords(file: string | null): CommonPasswords {
  if (file === null) return new CommonPasswords();
  try {
    return new CommonPasswords(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`The list of common passwords (auth.password_blocklist_file) cannot be read: ${file}.`, {
      cause,
    });
  }
}

/** Passwords that no one may choose, compared without regard to case. */
export class CommonPasswords {
  readonly #words: Set<string>;

  /** `more` holds further passwords, one per line. */
  constructor(more = '') {
    this.#words = new Set(documented.trim().split(/\s+/));
    for (const line of more.split(/\r?\n/)) {
      if (line !== '') this.#words.add(line.toLowerCase());
    }
  }

  get size(): number {
    return this.#words.size;
  }

  has(password: string): boolean {
    return this.#words.has(password.toLowerCase());
  }
}
