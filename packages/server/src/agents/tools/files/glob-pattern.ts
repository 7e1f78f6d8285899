import { ToolFailure } from '../tool-failure.ts';

const longestPattern = 256;
const mostAlternatives = 16;

/**
 * Tells whether a path below the folder that is searched fits: `*` and `?` within a name, `**` across folders, `[a-z]`,
 * `[!a-z]` and `{a,b}`. A pattern without a slash is for names at any depth. No pattern takes long: each wildcard is tried
 * from the last one on, and never all combinations.
 */
export function globMatcher(pattern: string): (relativePath: string) => boolean {
  if (pattern.length > longestPattern) throw invalid(`it is longer than ${longestPattern} characters`);
  const isName = !pattern.includes('/');
  const alternatives = withoutBraces(isName ? `**/${pattern}` : pattern.replace(/^\.?\//, '')).map((each) =>
    each.split('/').map(segmentOf),
  );
  return (relativePath) => {
    const names = relativePath.split('/');
    return alternatives.some((segments) => fits(segments, names, matchesName));
  };
}

/** Any number of what stands in its place: of characters in a name, of names in a path. */
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

/** `a.{png,jpg}` as the two that it stands for. */
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
    if (plain.length + open.length > mostAlternatives) {
      throw invalid(`its braces stand for more than ${mostAlternatives} patterns`);
    }
  }
  return plain;
}

function invalid(reason: string): ToolFailure {
  return new ToolFailure('pattern_invalid', `The pattern cannot be used: ${reason}.`);
}
