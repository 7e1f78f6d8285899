import {
  type Consent,
  decideGrant,
  type GrantRequest,
  readGrantRequest,
} from '@switchyard/contract/accounts/client-grant';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearch } from 'wouter';
import { Button } from '../../kit/button.tsx';
import { FormError } from '../../kit/forms/form-error.tsx';
import { Page } from '../../kit/page.tsx';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';

/** Asks the user whether a client of somebody else may sign in for them. The client opens this page with its request. */
export function ConnectPage() {
  const text = useText('tokens');
  const search = useSearch();
  const request: GrantRequest = Object.fromEntries(new URLSearchParams(search));
  const consent = useQuery({
    queryKey: ['connect', search],
    queryFn: ({ signal }) => gateway.call(readGrantRequest, { query: request, signal }),
    // What the client published about itself does not change while its user reads.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Page title={text('connect.title')}>
      <div className="flex max-w-[36rem] flex-col gap-4">
        {consent.error && <FormError error={consent.error} />}
        {consent.data?.refusal && <Refused consent={consent.data} refusal={consent.data.refusal} />}
        {consent.data && !consent.data.refusal && <Question consent={consent.data} request={request} />}
      </div>
    </Page>
  );
}

function Question({ consent, request }: { consent: Consent; request: GrantRequest }) {
  const text = useText('tokens');
  const { email } = useSession();
  const { client, document, redirect_host: host, scopes } = consent;
  const decide = useMutation({
    mutationFn: (allow: boolean) => gateway.call(decideGrant, { body: { ...request, allow } }),
    onSuccess: ({ redirect_to }) => window.location.assign(redirect_to),
  });
  // A second click would ask for a second code.
  const isDone = decide.isPending || decide.isSuccess;
  return (
    <>
      <p className="text-lead break-words">{text('connect.question', { email })}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-body">
        <Fact label={text('connect.client')}>{client}</Fact>
        <Fact label={text('connect.leads')}>{host}</Fact>
        <Fact label={text('connect.described')}>{document ?? text('connect.unproven')}</Fact>
      </dl>
      <div>
        <h2 className="pb-1 font-medium">{text('create.scopes')}</h2>
        <ul className="flex list-disc flex-col gap-1 pl-5">
          {scopes.map((scope) => (
            <li key={scope}>
              {text(`scope.${scope.replace(':', '-')}`)}{' '}
              <code className="font-mono text-meta text-text-2">{scope}</code>
            </li>
          ))}
        </ul>
      </div>
      <p className="text-table text-text-2">{text('connect.effect')}</p>
      {decide.error && <FormError error={decide.error} />}
      <div className="flex flex-wrap gap-2">
        <Button variant="solid" isBusy={isDone} onClick={() => decide.mutate(true)}>
          {text('connect.allow')}
        </Button>
        <Button isBusy={isDone} onClick={() => decide.mutate(false)}>
          {text('connect.refuse')}
        </Button>
      </div>
    </>
  );
}

/** The client asked for something that no one can allow. It is told so when the user goes back. */
function Refused({
  consent: { client, redirect_host: host },
  refusal,
}: {
  consent: Consent;
  refusal: NonNullable<Consent['refusal']>;
}) {
  const text = useText('tokens');
  return (
    <>
      <p role="alert" className="text-body break-words">
        {text('connect.refused', { error: refusal.error })}{' '}
        <strong className="font-semibold">{client}</strong>
      </p>
      <div>
        <Button onClick={() => window.location.assign(refusal.redirect_to)}>
          {text('connect.back', { host })}
        </Button>
      </div>
    </>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-text-2">{label}</dt>
      <dd className="min-w-0 font-medium break-words">{children}</dd>
    </>
  );
}
