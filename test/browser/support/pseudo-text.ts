/** Nested texts, as a file of messages has them. */
export interface Texts {
  [key: string]: string | Texts;
}

/** Letters with accents show which texts come from the messages, and are taller than plain ones. */
const accents: Record<string, string> = Object.fromEntries(
  [...'AÅBƁCÇDÐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞRŔSŠTŢUÛVṼWŴYÝZŽaåbƀcçdðeéfƒgĝhĥiîjĵkķlļmṁnñoöpþrŕsštţuûvṽwŵyýzž']
    .join('')
    .match(/../gu)
    ?.map((pair) => [...pair] as [string, string]) ?? [],
);

/** The factor by which a language may be longer than English. */
const growth = 0.4;

/** Returns the messages in a language that no one speaks: accented, in brackets, and longer. */
export function pseudoTexts(texts: Texts): Texts {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === 'string' ? pseudoText(text) : pseudoTexts(text),
    ]),
  );
}

/** What stands in braces stays, apart from the texts of a plural or a choice. */
export function pseudoText(message: string): string {
  const reader = new MessageReader(message);
  const text = reader.text();
  const missing = Math.ceil(reader.letters * growth);
  return `[${text}${padding(missing, message.includes(' '))}]`;
}

function padding(length: number, hasWords: boolean): string {
  const long = 'öñé ţŵö ţĥŕéé ƒöûŕ ƒîṽé ';
  if (!hasWords) return long.replaceAll(' ', '').slice(0, length);
  return ` ${long.repeat(Math.ceil(length / long.length))}`.slice(0, length).trimEnd();
}

/** Reads a message in ICU's form, and writes it again with its literal parts changed. */
class MessageReader {
  readonly #message: string;
  #at = 0;
  letters = 0;

  constructor(message: string) {
    this.#message = message;
  }

  /** Reads until the message or the part in braces ends. */
  text(): string {
    let made = '';
    while (this.#at < this.#message.length && this.#message[this.#at] !== '}') {
      const letter = this.#message[this.#at] ?? '';
      if (letter === '{') made += this.#argument();
      else {
        made += accents[letter] ?? letter;
        this.letters += 1;
        this.#at += 1;
      }
    }
    return made;
  }

  #argument(): string {
    const head = /\{\s*\w+\s*(,\s*(plural|select|selectordinal)\s*,)?/y;
    head.lastIndex = this.#at;
    const [found = '{', choice] = head.exec(this.#message) ?? [];
    this.#at += found.length;
    return choice === undefined ? `${found}${this.#rest()}` : `${found}${this.#choices()}`;
  }

  #rest(): string {
    const end = this.#message.indexOf('}', this.#at) + 1;
    const rest = this.#message.slice(this.#at, end);
    this.#at = end;
    return rest;
  }

  #choices(): string {
    let made = '';
    while (this.#message[this.#at] !== '}') {
      const open = this.#message.indexOf('{', this.#at) + 1;
      made += this.#message.slice(this.#at, open);
      this.#at = open;
      made += `${this.text()}}`;
      this.#at += 1;
      const space = /\s*/y;
      space.lastIndex = this.#at;
      const [gap = ''] = space.exec(this.#message) ?? [];
      made += gap;
      this.#at += gap.length;
    }
    this.#at += 1;
    return `${made}}`;
  }
}
