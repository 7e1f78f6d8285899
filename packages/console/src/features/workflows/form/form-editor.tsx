import { ApiError } from '@switchyard/client/errors';
import {
  getWorkflow,
  type SavedWorkflowDetail,
  updateWorkflow,
} from '@switchyard/contract/dispatch/workflow';
import { useQueryClient } from '@tanstack/react-query';
import {
  ArrowDown,
  ArrowUp,
  Eye,
  EyeOff,
  GripVertical,
  PencilLine,
  Pin,
  PinOff,
  Redo2,
  Undo2,
} from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Field } from '../../../kit/field.tsx';
import { FormError } from '../../../kit/forms/form-error.tsx';
import { SearchInput } from '../../../kit/forms/search-input.tsx';
import { classes } from '../../../kit/parts/classes.ts';
import { TextArea } from '../../../kit/text-area.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import {
  editsOf,
  faultyFields,
  fieldsOf,
  fieldsOver,
  moved,
  type ShownField,
  withField,
  withPin,
} from './form-edits.ts';
import { useHistory } from './use-history.ts';

/** Rows beyond these are one click away: a row has a dozen controls. */
const rowsAtOnce = 60;
/** Fewer fields are found by eye. */
const minSearched = 9;

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** Arranges the form of a workflow: which fields stand first, how they are called, and what is hidden. */
export function FormEditor({ workflow, onClose }: { workflow: SavedWorkflowDetail; onClose: () => void }) {
  const text = useText('workflows');
  const queries = useQueryClient();
  const toast = useToast();
  const history = useHistory(() => fieldsOf(workflow.parameters));
  const [base, setBase] = useState(workflow);
  const [notes, setNotes] = useState('');
  const [newer, setNewer] = useState<SavedWorkflowDetail | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const fields = history.value;
  const faults = faultyFields(fields);
  const isChanged = history.canUndo || base !== workflow;
  const canSave = isChanged && !isBusy && faults.size === 0 && newer === null;
  const save = async (onto: SavedWorkflowDetail, shown: readonly ShownField[]) => {
    const params = { workflowId: workflow.id };
    setBusy(true);
    setError(null);
    try {
      const edits = editsOf(onto.parameters, shown);
      const body = { parameters: edits, notes: notes.trim(), version: onto.version };
      const { version } = await gateway.call(updateWorkflow, { params, body });
      toast({ text: text('form.saved', { version }) });
      await queries.invalidateQueries({ queryKey: keys.workflows });
      onClose();
    } catch (refused) {
      const isNewer = refused instanceof ApiError && refused.code === 'workflow_version_mismatch';
      if (isNewer) setNewer(await gateway.call(getWorkflow, { params, query: {} }).catch(() => null));
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  const loadTheirs = (theirs: SavedWorkflowDetail) => {
    setBase(theirs);
    history.restart(fieldsOf(theirs.parameters));
    setNewer(null);
    setError(null);
  };
  const takeOver = (theirs: SavedWorkflowDetail) => {
    const over = fieldsOver({ base: base.parameters, theirs: theirs.parameters }, fields);
    setBase(theirs);
    history.restart(over);
    setNewer(null);
    void save(theirs, over);
  };
  return (
    <section
      aria-label={text('form.edit')}
      className="flex min-w-0 flex-col gap-3"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (canSave) void save(base, fields);
      }}
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 ref={heading} tabIndex={-1} className="min-w-0 flex-1 text-lead font-semibold outline-none">
          {text('form.edit')}
        </h2>
        <IconButton
          label={text('form.undo')}
          icon={<Undo2 size={16} strokeWidth={1.75} aria-hidden />}
          disabled={!history.canUndo}
          onClick={history.undo}
        />
        <IconButton
          label={text('form.redo')}
          icon={<Redo2 size={16} strokeWidth={1.75} aria-hidden />}
          disabled={!history.canRedo}
          onClick={history.redo}
        />
      </div>
      <p className="text-table text-text-2">
        {text('form.editHint')} <span className="pointer-coarse:hidden">{text('form.editKeys')}</span>
      </p>
      <FieldRows fields={fields} faults={faults} onChange={history.put} />
      <Field label={text('form.notes')}>
        <TextArea
          rows={2}
          value={notes}
          maxLength={1_000}
          placeholder={text('form.notesHint')}
          onChange={(event) => setNotes(event.target.value)}
        />
      </Field>
      <div className="sticky -bottom-1 flex flex-col gap-2 border-t border-border bg-bg pt-2 pb-3 max-md:bottom-(--foot)">
        {newer ? (
          <div role="alert" className="flex flex-col gap-2 rounded-card bg-failed-tint p-3 text-body">
            <p>{text('form.newer', { version: newer.version, notes: newer.notes || 'none' })}</p>
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => loadTheirs(newer)}>{text('form.loadTheirs')}</Button>
              <Button isBusy={isBusy} onClick={() => takeOver(newer)}>
                {text('form.takeOver')}
              </Button>
            </div>
          </div>
        ) : error ? (
          <FormError error={error} />
        ) : null}
        <div className="flex flex-wrap gap-2">
          <Button
            variant="solid"
            disabled={!canSave}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onClick={() => void save(base, fields)}
          >
            {text('form.save')}
          </Button>
          <Button onClick={onClose}>{text('form.cancel')}</Button>
        </div>
      </div>
    </section>
  );
}

interface FieldRowsProps {
  fields: readonly ShownField[];
  faults: ReturnType<typeof faultyFields>;
  onChange: (fields: ShownField[], of?: string) => void;
}

function FieldRows({ fields, faults, onChange }: FieldRowsProps) {
  const text = useText('workflows');
  const [words, setWords] = useState('');
  const [limit, setLimit] = useState(rowsAtOnce);
  const [dragged, setDragged] = useState<string | null>(null);
  const [announced, setAnnounced] = useState('');
  const focus = useFocusAfterMove(fields);
  const rows = fields.map((field, index) => ({ field, index })).filter(({ field }) => fits(field, words));
  const place = (next: ShownField[], { name, label }: ShownField) => {
    onChange(next);
    const at = next.findIndex((field) => field.name === name);
    setAnnounced(text('form.movedTo', { label, place: at + 1 }));
  };
  return (
    <>
      {fields.length >= minSearched ? (
        <SearchInput label={text('form.search')} value={words} onChange={setWords} className="w-full" />
      ) : null}
      <p role="status" className="sr-only">
        {announced}
      </p>
      <ol
        // What has the focus is not below the buttons at the foot.
        className="flex flex-col [&_:is(button,input)]:scroll-mb-18"
        aria-label={text('form.fields')}
        onKeyDown={leadToRow}
      >
        {rows.slice(0, limit).map(({ field, index }) => (
          <FieldRow
            key={field.name}
            field={field}
            fault={faults.get(field.name)}
            isDragged={dragged === field.name}
            onDrag={(isDragged) => setDragged(isDragged ? field.name : null)}
            onDragOver={() => {
              const from = fields.findIndex(({ name }) => name === dragged);
              if (from >= 0 && from !== index) onChange(moved(fields, from, index), `drag ${dragged}`);
            }}
            onMove={(by, control) => {
              focus(field.name, control);
              place(moved(fields, index, index + by), field);
            }}
            onPin={(isByKey) => {
              // A pointer stays where it is, and the row goes.
              if (isByKey) focus(field.name, 'pin');
              place(withPin(fields, field.name, !field.pinned), field);
            }}
            onChange={(change, of) =>
              onChange(withField(fields, field.name, change), of && `${of} ${field.name}`)
            }
          />
        ))}
      </ol>
      {rows.length > limit ? (
        <Button onClick={() => setLimit(limit + rowsAtOnce)}>
          {text('form.moreFields', { count: Math.min(rowsAtOnce, rows.length - limit) })}
        </Button>
      ) : null}
    </>
  );
}

function fits({ label, name, sets }: ShownField, words: string): boolean {
  const text = [label, name, ...sets.flatMap(({ title, input }) => [title, input])].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The arrow keys lead from a control to the same one of the row beside it. */
function leadToRow(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  const isOther = target instanceof HTMLTextAreaElement || altKey || ctrlKey || metaKey;
  if (isOther || !(target instanceof HTMLElement) || (key !== 'ArrowUp' && key !== 'ArrowDown')) return;
  const row = target.closest('li');
  const beside = key === 'ArrowUp' ? row?.previousElementSibling : row?.nextElementSibling;
  const controlsOf = (of: Element) => [...of.querySelectorAll<HTMLElement>('input, button')];
  if (!row || !beside) return;
  event.preventDefault();
  controlsOf(beside)[controlsOf(row).indexOf(target)]?.focus();
}

/** A row that moves takes the focus of its control along. */
function useFocusAfterMove(fields: readonly ShownField[]) {
  const wanted = useRef<{ name: string; control: string } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows have moved when the fields have changed
  useEffect(() => {
    if (!wanted.current) return;
    const { name, control } = wanted.current;
    wanted.current = null;
    const moved = document.getElementById(`edit-${control}-${name}`);
    moved?.focus();
    moved?.scrollIntoView({ block: 'nearest' });
  }, [fields]);
  return (name: string, control: string) => {
    wanted.current = { name, control };
  };
}

interface FieldRowProps {
  field: ShownField;
  fault: 'label' | 'name' | 'twice' | undefined;
  isDragged: boolean;
  onDrag: (isDragged: boolean) => void;
  onDragOver: () => void;
  onMove: (by: number, control: 'label' | 'up' | 'down') => void;
  onPin: (isByKey: boolean) => void;
  /** `of`: what is typed into; one undo takes back all that was typed there. */
  onChange: (change: Partial<Omit<ShownField, 'name' | 'pinned'>>, of?: string) => void;
}

function FieldRow({ field, fault, isDragged, onDrag, onDragOver, onMove, onPin, onChange }: FieldRowProps) {
  const text = useText('workflows');
  const [canDrag, setCanDrag] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const { name, label, hidden, pinned, required, sets } = field;
  const [set] = sets;
  return (
    <li
      draggable={canDrag}
      onDragStart={(event) => {
        event.dataTransfer.setData('text/plain', label);
        onDrag(true);
      }}
      onDragOver={(event) => {
        event.preventDefault();
        onDragOver();
      }}
      onDragEnd={() => {
        setCanDrag(false);
        onDrag(false);
      }}
      className={classes(
        'flex flex-col gap-1 border-t border-l-2 border-t-border py-2 pl-2',
        isDragged && 'bg-sunken',
        pinned ? 'border-l-accent' : 'border-l-transparent',
      )}
    >
      <div className="flex flex-wrap items-center gap-1">
        <span
          aria-hidden
          title={text('form.drag')}
          onPointerDown={() => setCanDrag(true)}
          onPointerUp={() => setCanDrag(false)}
          className="shrink-0 cursor-grab touch-none text-text-3"
        >
          <GripVertical size={16} strokeWidth={1.75} />
        </span>
        <TextInput
          id={`edit-label-${name}`}
          aria-label={text('form.label', { name })}
          aria-invalid={fault === 'label' || undefined}
          value={label}
          maxLength={200}
          className="flex-1 basis-36"
          onChange={(event) => onChange({ label: event.target.value }, 'label')}
          onKeyDown={({ key, altKey }) => {
            const by = { ArrowUp: -1, ArrowDown: 1 }[key];
            if (altKey && by !== undefined) onMove(by, 'label');
          }}
        />
        <div className="ml-auto flex gap-1">
          <IconButton
            id={`edit-pin-${name}`}
            label={text(pinned ? 'form.unpin' : 'form.pin', { label })}
            aria-pressed={pinned}
            variant={pinned ? 'quiet' : 'plain'}
            icon={pinned ? <PinOff {...icon} /> : <Pin {...icon} />}
            onClick={({ detail }) => onPin(detail === 0)}
          />
          <IconButton
            label={text(hidden ? 'form.show' : 'form.hide', { label })}
            aria-pressed={hidden}
            variant={hidden ? 'quiet' : 'plain'}
            icon={hidden ? <EyeOff {...icon} /> : <Eye {...icon} />}
            disabled={required}
            onClick={() => onChange({ hidden: !hidden })}
          />
          <IconButton
            id={`edit-up-${name}`}
            label={text('form.up', { label })}
            icon={<ArrowUp {...icon} />}
            onClick={() => onMove(-1, 'up')}
          />
          <IconButton
            id={`edit-down-${name}`}
            label={text('form.down', { label })}
            icon={<ArrowDown {...icon} />}
            onClick={() => onMove(1, 'down')}
          />
          <IconButton
            label={text('form.describe', { label })}
            aria-expanded={isOpen}
            variant={isOpen ? 'quiet' : 'plain'}
            icon={<PencilLine {...icon} />}
            onClick={() => setOpen(!isOpen)}
          />
        </div>
      </div>
      <p className="truncate pl-5 text-meta text-text-2">
        {hidden ? `${text('form.isHidden')} · ` : ''}
        {set ? `${set.title} · ${set.input}` : name}
      </p>
      {fault ? <p className="pl-5 text-table text-failed">{text(`form.fault.${fault}`)}</p> : null}
      {isOpen || fault === 'name' || fault === 'twice' ? (
        <FieldWords field={field} onChange={onChange} />
      ) : null}
    </li>
  );
}

/** The help text of a field, and its name in commands. */
function FieldWords({ field, onChange }: Pick<FieldRowProps, 'field' | 'onChange'>) {
  const text = useText('workflows');
  return (
    <div className="flex flex-col gap-2 pl-5">
      <Field label={text('form.description')} hint={text('form.descriptionHint')}>
        <TextArea
          rows={2}
          value={field.description ?? ''}
          maxLength={1_000}
          onChange={(event) => onChange({ description: event.target.value }, 'description')}
        />
      </Field>
      <Field label={text('form.name')} hint={text('form.nameHint')}>
        <TextInput
          value={field.rename}
          maxLength={64}
          className="font-mono"
          onChange={(event) => onChange({ rename: event.target.value }, 'name')}
        />
      </Field>
    </div>
  );
}
