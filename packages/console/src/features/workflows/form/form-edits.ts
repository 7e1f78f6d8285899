import { parameterKey } from '@switchyard/contract/dispatch/parameter-key';
import type { ParameterEdit, WorkflowParameter } from '@switchyard/contract/dispatch/workflow';

/** How one field is shown, and the name that it has at the gateway now. */
export type ShownField = Pick<
  WorkflowParameter,
  'name' | 'label' | 'description' | 'hidden' | 'pinned' | 'placeholder' | 'sets' | 'required'
> & { rename: string };

/** The fields as the form shows them: the pinned ones stand above the others. */
export function fieldsOf(parameters: readonly WorkflowParameter[]): ShownField[] {
  return pinnedFirst(parameters).map((parameter) => {
    const { name, label, description, hidden, pinned, placeholder, sets, required } = parameter;
    return { name, rename: name, label, description, hidden, pinned, placeholder, sets, required };
  });
}

function pinnedFirst<Field extends { pinned: boolean }>(fields: readonly Field[]): Field[] {
  return [...fields.filter(({ pinned }) => pinned), ...fields.filter(({ pinned }) => !pinned)];
}

/** Pinned fields stand above the others, so one that is pinned or let go moves to where the two meet. */
export function withPin(fields: readonly ShownField[], name: string, pinned: boolean): ShownField[] {
  const others = fields.filter((field) => field.name !== name);
  const found = fields.find((field) => field.name === name);
  if (!found) return [...fields];
  const border = others.filter((field) => field.pinned).length;
  return pinnedFirst(others).toSpliced(border, 0, { ...found, pinned });
}

/** Moves a field to another place, but not across the border between pinned fields and the others. */
export function moved(fields: readonly ShownField[], from: number, to: number): ShownField[] {
  const field = fields[from];
  const place = Math.min(Math.max(to, 0), fields.length - 1);
  if (!field || fields[place]?.pinned !== field.pinned) return [...fields];
  return fields.toSpliced(from, 1).toSpliced(place, 0, field);
}

export function withField(
  fields: readonly ShownField[],
  name: string,
  change: Partial<Omit<ShownField, 'name' | 'pinned'>>,
): ShownField[] {
  return fields.map((field) => (field.name === name ? { ...field, ...change } : field));
}

/** Returns the edits that lead from the parameters to these fields: few moves, and only what differs. */
export function editsOf(
  parameters: readonly WorkflowParameter[],
  fields: readonly ShownField[],
): ParameterEdit[] {
  const present = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const order = parameters.map(({ name }) => name);
  const edits = new Map<string, ParameterEdit>();
  for (const field of fields) {
    const before = present.get(field.name);
    const edit = before ? changesOf(before, field) : {};
    if (Object.keys(edit).length > 0) edits.set(field.name, { name: field.name, ...edit });
  }
  const kept = new Set(fields.map(({ name }) => name));
  const wanted = [...fields.map(({ name }) => name), ...order.filter((name) => !kept.has(name))];
  const still = inOrder(order, wanted);
  const moves: ParameterEdit[] = [];
  for (const name of wanted) {
    if (still.has(name)) continue;
    moves.push({ ...edits.get(name), name });
    edits.delete(name);
  }
  return [...edits.values(), ...placed(order, wanted, moves)];
}

function changesOf(before: WorkflowParameter, field: ShownField): Omit<ParameterEdit, 'name'> {
  const label = field.label.trim();
  const description = field.description ?? '';
  return {
    ...(field.rename !== before.name && { rename: field.rename }),
    ...(label !== before.label && { label }),
    ...(description !== (before.description ?? '') && { description }),
    ...(field.hidden !== before.hidden && { hidden: field.hidden }),
    ...(field.pinned !== before.pinned && { pinned: field.pinned }),
  };
}

/**
 * Gives each move the place that leads to the wanted order when moves happen one after the other: directly behind the
 * field that it follows in the end.
 */
function placed(
  order: readonly string[],
  wanted: readonly string[],
  moves: readonly ParameterEdit[],
): ParameterEdit[] {
  const now = [...order];
  return moves.map((move) => {
    now.splice(now.indexOf(move.name), 1);
    const before = wanted[wanted.indexOf(move.name) - 1];
    const position = before === undefined ? 0 : now.indexOf(before) + 1;
    now.splice(position, 0, move.name);
    return { ...move, position };
  });
}

/** The most fields that can stay where they are: the longest run of them that is in the wanted order already. */
function inOrder(order: readonly string[], wanted: readonly string[]): Set<string> {
  const places = wanted.map((name) => order.indexOf(name)).filter((place) => place >= 0);
  const ends: number[] = [];
  const before = new Map<number, number | undefined>();
  for (const place of places) {
    const found = ends.findIndex((end) => end > place);
    const length = found < 0 ? ends.length : found;
    before.set(place, ends[length - 1]);
    ends[length] = place;
  }
  const still = new Set<string>();
  for (let place = ends.at(-1); place !== undefined; place = before.get(place)) {
    const name = order[place];
    if (name !== undefined) still.add(name);
  }
  return still;
}

const shownProperties = ['rename', 'label', 'description', 'hidden', 'pinned'] as const;

/**
 * Lays what a person has changed since `base` over a version that somebody else has saved meanwhile. What the person has
 * left alone is as it is there, and fields that are new there stand last.
 */
export function fieldsOver(
  { base, theirs }: Record<'base' | 'theirs', readonly WorkflowParameter[]>,
  mine: readonly ShownField[],
): ShownField[] {
  const before = new Map(fieldsOf(base).map((field) => [parameterKey(field), field]));
  const changed = new Map(
    mine.map((field): [string, Partial<ShownField>] => {
      const key = parameterKey(field);
      const own = shownProperties.filter((property) => field[property] !== before.get(key)?.[property]);
      return [key, Object.fromEntries(own.map((property) => [property, field[property]]))];
    }),
  );
  const merged = fieldsOf(theirs).map((field) => ({ ...field, ...changed.get(parameterKey(field)) }));
  const order = mine.map(parameterKey);
  if (order.join() === [...before.keys()].join()) return pinnedFirst(merged);
  const places = new Map(order.map((key, place) => [key, place]));
  const placeOf = (field: ShownField) => places.get(parameterKey(field)) ?? order.length;
  return pinnedFirst(merged.toSorted((a, b) => placeOf(a) - placeOf(b)));
}

/** Returns the fields that the gateway would refuse. */
export function faultyFields(fields: readonly ShownField[]): Map<string, 'label' | 'name' | 'twice'> {
  const names = new Map<string, number>();
  for (const { rename } of fields) names.set(rename, (names.get(rename) ?? 0) + 1);
  const faults = new Map<string, 'label' | 'name' | 'twice'>();
  for (const { name, rename, label } of fields) {
    if (label.trim() === '') faults.set(name, 'label');
    else if (!/^[A-Za-z0-9_.-]{1,64}$/.test(rename)) faults.set(name, 'name');
    else if ((names.get(rename) ?? 0) > 1) faults.set(name, 'twice');
  }
  return faults;
}
