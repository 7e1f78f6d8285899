/** HTML that is safe to write unchanged. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insert = Markup | string | number | false | undefined | readonly Insert[];

/** A template that escapes its inserts, joins lists, and leaves out `false` and `undefined`. */
export function html(strings: TemplateStringsArray, ...inserts: Insert[]): Markup {
  return new Markup(strings.reduce((text, part, index) => text + render(inserts[index - 1]) + part));
}

/** Returns plain text in which `words in backticks` become code. */
export function prose(text: string): Markup {
  const parts = text.split('`');
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function render(insert: Insert): string {
  if (insert === false || insert === undefined) return '';
  if (insert instanceof Markup) return insert.text;
  if (typeof insert === 'object') return insert.map(render).join('');
  return escapeHtml(String(insert));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
