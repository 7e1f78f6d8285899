import { ToolFailure } from '../tool-failure.ts';

const maxPatternLength = 256;
const maxAlternatives = 16;

/**
 * Returns a function that matches paths below the searched folder: `*` and `?` within a name, `**` across folders, `[a-z]`,
 * `[!a-z]` and `{a,b}`. A pattern without a slash matches names at any depth. No pattern takes long: only the last wildcard is
 * tried again, never all combinations.
 */
export function globMatcher(pattern: string): (relativePath: string) => boolean {
  if (pattern.length > maxPatternLength) throw invalid(`it is longer than ${maxPatternLength} characters`);
  const isName = !pattern.includes('/');
  const alternatives = withoutBraces(isName ? `**/${pattern}` : pattern.replace(/^\.?\//, '')).map((each) =>
    each.split('/').map(segmentOf),
  );
  return (relativePath) => {
    const names = relativePath.split('/');
    return alternatives.some((segments) => fits(segments, names, matchesName));
  };
}

/** Stands for any number of elements: characters in a name, or names in a path. */
const many = Symbol('many');

type NameToken = typeof many | ((character: string) => boolean);
type Segment = typeof many | NameToken[];

function segmentOf(text: string): Segment {
  return text === '**' ? many : tokensOf(text);
}

function matchesName(segment: NameToken[], name: string): boolean {
  return fits(segment, [...name], (isCharacter, character) => isCharacter(character));
}

function fits<Token, Item>(
  tokens: readonly (Token | typeof many)[],
  items: readonly Item[],
  matches: (token: Token, item: Item) => boolean,
): boolean {
  let token = 0;
  let item = 0;
  let lastMany = -1;
  let takenByMany = 0;
  while (item < items.length) {
    const wanted = tokens[token];
    if (wanted === many) {
      lastMany = token;
      takenByMany = item;
      token += 1;
    } else if (wanted !== undefined && matches(wanted, items[item] as Item)) {
      token += 1;
      item += 1;
    } else if (lastMany >= 0) {
      takenByMany += 1;
      token = lastMany + 1;
      item = takenByMany;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === many);
}

const classOrCharacter = /\[(!|\^)?(\]?[^\]]*)\]|\\?([\s\S])/gu;

function tokensOf(text: string): NameToken[] {
  return [...text.matchAll(classOrCharacter)].map(([whole, not, members, character = '']) => {
    if (members !== undefined) return classToken(members, not !== undefined);
    if (whole === '*') return many;
    if (whole === '?') return () => true;
    return (given) => given === character;
  });
}

function classToken(members: string, isNot: boolean): NameToken {
  const ranges = [...members.matchAll(/([\s\S])-([\s\S])|([\s\S])/gu)].map(([, from, to, single = '']) => ({
    from: from ?? single,
    to: to ?? single,
  }));
  return (given) => ranges.some(({ from, to }) => from <= given && given <= to) !== isNot;
}

const innermostBraces = /\{([^{}]*)\}/;

/** Expands `a.{png,jpg}` into the two patterns that it stands for. */
function withoutBraces(pattern: string): string[] {
  const plain: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = innermostBraces.exec(next);
    if (!braces) plain.push(next);
    else {
      const [whole, inner = ''] = braces;
      const before = next.slice(0, braces.index);
      const after = next.slice(braces.index + whole.length);
      open.push(...inner.split(',').map((choice) => `${before}${choice}${after}`));
    }
    if (plain.length + open.length > maxAlternatives) {
      throw invalid(`its braces stand for more than ${maxAlternatives} patterns`);
    }
  }
  return plain;
}

function invalid(reason: string): ToolFailure {
  return new ToolFailure('pattern_invalid', `The pattern cannot be used: ${reason}.`);
}
