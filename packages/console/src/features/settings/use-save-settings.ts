import { ApiError } from '@switchyard/client/errors';
import {
  getSettings,
  replaceSettings,
  type Settings,
  type SettingsInput,
} from '@switchyard/contract/dispatch/settings';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useToast } from '../../kit/toast.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { faultsOf } from '../../lib/gateway-words/faults.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { settingsQuery } from './settings-query.ts';

/** A fault of one field; the path is that of the JSON: `servers.0.instances.1.port`. */
export interface FieldFault {
  path: string;
  message: string;
}

/** Saves the settings unless someone else was faster; then it reads theirs for a merge. */
export function useSaveSettings(settings: Settings, onDone: () => void) {
  const text = useText('settings');
  const toast = useToast();
  const words = useGatewayWords();
  const queries = useQueryClient();
  const [faults, setFaults] = useState<readonly FieldFault[]>([]);
  const [other, setOther] = useState<string | null>(null);
  const [conflict, setConflict] = useState<Settings | null>(null);
  const put = useMutation({
    mutationFn: ({ next, version }: { next: SettingsInput; version: number }) =>
      gateway.call(replaceSettings, {
        headers: { 'if-match': `"${version}"` },
        body: { servers: next.servers, healthCheck: next.healthCheck },
      }),
    onSuccess: async (stored) => {
      onDone();
      setConflict(null);
      queries.setQueryData(settingsQuery().queryKey, stored);
      toast({ text: text('save.done', { version: stored.version }) });
      await queries.invalidateQueries({ queryKey: keys.instances });
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412) {
        setConflict(await gateway.call(getSettings));
        return;
      }
      onDone();
      setConflict(null);
      const found = faultsOf(error).map((fault) => ({
        path: fault.path.replace(/^body\./, ''),
        message: words.said(fault),
      }));
      setFaults(found);
      setOther(found.length === 0 ? words.error(error) : null);
    },
  });
  const save = (next: SettingsInput, version: number = settings.version) => {
    setFaults([]);
    setOther(null);
    put.mutate({ next, version });
  };
  return { save, faults, other, conflict, isBusy: put.isPending, leaveConflict: () => setConflict(null) };
}
