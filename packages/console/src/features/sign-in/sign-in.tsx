import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { sessionQuery } from '../../lib/session-query.ts';

/** The form that begins a session. `ended` is the address of the account whose session has just ended. */
export function SignIn({ ended }: { ended: string | null }) {
  const text = useText('sign-in');
  const queries = useQueryClient();
  const login = useMutation({
    mutationFn: (fields: { username: string; password: string }) => gateway.session.loginWithCookies(fields),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    login.mutate({ username: String(fields.get('username')), password: String(fields.get('password')) });
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-80 flex-col justify-center gap-4 p-4">
      <h1 className="text-title font-semibold">{text('title')}</h1>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <label className="flex flex-col gap-1 text-table font-medium">
          {text('email')}
          <input
            name="username"
            defaultValue={ended ?? ''}
            autoComplete="username"
            required
            className="h-8 rounded-control border border-control bg-surface px-2 text-body"
          />
        </label>
        <label className="flex flex-col gap-1 text-table font-medium">
          {text('password')}
          <input
            name="password"
            type="password"
            autoComplete="current-password"
            required
            className="h-8 rounded-control border border-control bg-surface px-2 text-body"
          />
        </label>
        {login.error && (
          <p role="alert" className="text-table text-failed">
            {login.error.message}
          </p>
        )}
        <button type="submit" className="h-8 rounded-control bg-accent-solid font-medium text-on-accent">
          {text('submit')}
        </button>
      </form>
    </main>
  );
}
