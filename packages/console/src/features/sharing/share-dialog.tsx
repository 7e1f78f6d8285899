import {
  type GranteeKind,
  giveShare,
  listShares,
  type NewShare,
  type Share,
  type ShareKind,
  type ShareRight,
  shareKinds,
  takeBackShare,
} from '@switchyard/contract/dispatch/share';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { FormError } from '../../kit/forms/form-error.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { Select } from '../../kit/select.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { keys } from '../../lib/data/keys.ts';
import { pagesOf } from '../../lib/data/pages.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

interface Subject {
  kind: ShareKind;
  subjectId: string;
}

function sharesQuery(subject: Subject) {
  return pagesOf([...keys.shares, subject], (offset, signal) =>
    gateway.call(listShares, { query: { ...subject, limit: 100, offset }, signal }),
  );
}

/** Reads `workflow.<id>` of the address; null for what names nothing that can be shared. */
function subjectIn(text: string): Subject | null {
  const [kind, ...rest] = text.split('.');
  const known = shareKinds.find((each) => each === kind);
  return known && rest.length > 0 ? { kind: known, subjectId: rest.join('.') } : null;
}

/** Who has a thing, and a form to give it to one more. */
export function ShareDialog({ subject: named, onClose }: { subject: string; onClose: () => void }) {
  const text = useText('sharing');
  const subject = subjectIn(named);
  if (subject === null) return null;
  return (
    <Dialog
      open
      onClose={onClose}
      title={text(`dialog.title.${subject.kind}`)}
      actions={<Button onClick={onClose}>{text('dialog.close')}</Button>}
    >
      <div className="flex flex-col gap-5">
        <GiveForm subject={subject} />
        <Receivers subject={subject} />
      </div>
    </Dialog>
  );
}

function GiveForm({ subject }: { subject: Subject }) {
  const text = useText('sharing');
  const queries = useQueryClient();
  const [to, setTo] = useState<GranteeKind>('person');
  const [email, setEmail] = useState('');
  const [may, setMay] = useState<ShareRight>(subject.kind === 'workflow' ? 'run' : 'read');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (body: NewShare) => gateway.call(giveShare, { body }),
    onSuccess: () => setEmail(''),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.shares }),
  });
  const give = (event: FormEvent) => {
    event.preventDefault();
    const grantee = to === 'person' ? { kind: to, email } : { kind: to };
    mutate({ ...subject, to: grantee, may });
  };
  const who = to === 'everyone' ? 'everyone' : email || 'ada@example.com';
  const hint = useCommandHint(
    `switchyard share give ${subject.kind} ${subject.subjectId} --to ${who}${may === 'run' ? ' --run' : ''}`,
  );
  return (
    <form onSubmit={give} className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-3 [&>*]:min-w-[9rem] [&>*]:flex-1">
        <Field label={text('give.to')}>
          <Select
            label={text('give.to')}
            value={to}
            options={(['person', 'everyone'] as const).map((value) => ({
              value,
              label: text(`to.${value}`),
            }))}
            onChange={setTo}
          />
        </Field>
        {subject.kind === 'workflow' ? (
          <Field label={text('give.may')}>
            <Select
              label={text('give.may')}
              value={may}
              options={(['run', 'read'] as const).map((value) => ({ value, label: text(`may.${value}`) }))}
              onChange={setMay}
            />
          </Field>
        ) : null}
      </div>
      {to === 'person' ? (
        <Field label={text('give.email')} hint={text('give.emailHint')}>
          <TextInput
            type="email"
            required
            maxLength={254}
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
      ) : (
        <p className="text-meta text-text-2">{text('give.everyoneHint')}</p>
      )}
      <p className="text-meta text-text-2">{text(`give.opens.${subject.kind}`)}</p>
      {error === null ? null : <FormError error={error} />}
      <Button type="submit" variant="solid" isBusy={isPending} className="self-start" {...hint}>
        {text('give.submit')}
      </Button>
    </form>
  );
}

function Receivers({ subject }: { subject: Subject }) {
  const text = useText('sharing');
  const query = useInfiniteQuery(sharesQuery(subject));
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <section aria-label={text('receivers.label')} className="flex flex-col gap-1">
      <h3 ref={heading} tabIndex={-1} className="text-table font-medium outline-none">
        {text('receivers.label')}
      </h3>
      <QueryView
        query={query}
        isEmpty={({ pages }) => pages[0]?.total === 0}
        first={<p className="text-body text-text-2">{text('receivers.none')}</p>}
      >
        {({ pages }) => (
          <ul className="flex flex-col divide-y divide-border">
            {pages
              .flatMap(({ items }) => items)
              .map((share) => (
                <Receiver key={share.id} share={share} onTaken={() => heading.current?.focus()} />
              ))}
          </ul>
        )}
      </QueryView>
      <MoreRows query={query} />
    </section>
  );
}

function Receiver({ share, onTaken }: { share: Share; onTaken: () => void }) {
  const text = useText('sharing');
  const { act, isBusy } = useAct();
  const { id, kind, subjectId, to, may, createdAt } = share;
  const who = to.email ?? text('to.everyone');
  const hint = useCommandHint(`switchyard share take-back ${id}`);
  const again = {
    kind,
    subjectId,
    to: to.email === null ? { kind: to.kind } : { kind: to.kind, email: to.email },
    may,
  };
  const takeBack = () =>
    act(() => gateway.call(takeBackShare, { params: { shareId: id } }), {
      done: text('receivers.taken', { who }),
      undo: () => gateway.call(giveShare, { body: again }),
      // The button goes with its row, and would take the focus along.
      onDone: onTaken,
      refresh: [keys.shares],
    });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="w-full min-w-0 text-body break-words sm:w-auto sm:flex-1">{who}</span>
      <span className="flex-1 text-table text-text-2 sm:flex-none">
        {text(`may.${may}`)} · <TimeAgo at={createdAt} />
      </span>
      <Button
        size="s"
        isBusy={isBusy}
        onClick={() => void takeBack()}
        aria-label={text('receivers.takeBackFrom', { who })}
        {...hint}
      >
        {text('receivers.takeBack')}
      </Button>
    </li>
  );
}
