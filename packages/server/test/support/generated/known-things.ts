import type { SeededRandom } from './seeded-random.ts';

/** Names that belong together, by field: a run with its thread, a file with its name. */
export type Names = Readonly<Record<string, string>>;

/** Maximum for one part of the interface. More would only repeat the first ones. */
const maxRecords = 300;
const freshRecords = 30;

/** The names that the gateway has used so far, by the part of the interface that returned them. */
export class KnownThings {
  readonly #byPart = new Map<string, Names[]>();

  /** Reads the names from a response. `around` holds those of its address. */
  learn(answer: unknown, path: string, around: Names = {}): void {
    if (Array.isArray(answer)) for (const item of answer) this.learn(item, path, around);
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return;
    const own = Object.entries(answer).filter(([key, value]) => isName(key, value)) as [string, string][];
    const names = { ...around, ...Object.fromEntries(own.map(([key, value]) => [plain(key), value])) };
    if (own.length > 0) this.#add(partOf(path), names);
    for (const value of Object.values(answer)) this.learn(value, path, names);
  }

  /** Names that belong together for the parameters of an address, as many as are known. */
  namesFor(parameters: readonly string[], path: string, random: SeededRandom): Names {
    const records = this.#byPart.get(partOf(path)) ?? [];
    const exact = records.filter((names) => parameters.every((name) => names[plain(name)] !== undefined));
    const fitting =
      exact.length > 0
        ? exact
        : records.filter((names) => parameters.every((name) => nameIn(names, name) !== undefined));
    if (fitting.length === 0) return {};
    const record = random.pick(random.chance(0.7) ? fitting.slice(-freshRecords) : fitting);
    return Object.fromEntries(parameters.map((name) => [name, nameIn(record, name) ?? '']));
  }

  /** Returns something of any part with this name. */
  named(name: string, random: SeededRandom): string | undefined {
    const records = [...this.#byPart.values()].flat().filter((names) => names[plain(name)] !== undefined);
    return records.length > 0 ? random.pick(records)[plain(name)] : undefined;
  }

  #add(part: string, names: Names): void {
    const records = this.#byPart.get(part) ?? [];
    records.push(names);
    if (records.length > maxRecords) records.splice(maxRecords / 2, 1);
    this.#byPart.set(part, records);
  }
}

function isName(key: string, value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 200 && /(id|name|key|path)$/i.test(key);
}

/** A thing of a part calls its own name `id` or `name`. */
function nameIn(names: Names, parameter: string): string | undefined {
  const name = plain(parameter);
  return names[name] ?? (name.endsWith('name') ? names.name : name.endsWith('id') ? names.id : undefined);
}

/** `task_id` and `taskId` are equal. */
export function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** Returns `tasks` for `/api/tasks/{taskId}`, `skills` for `/api/skills/custom`. */
function partOf(path: string): string {
  const [part = ''] = path.split('/').filter((step) => !['', 'api', 'langgraph', 'v1'].includes(step));
  return part === 'uploads' ? 'files' : part;
}
