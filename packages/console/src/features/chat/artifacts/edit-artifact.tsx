import { putArtifact } from '@switchyard/contract/conversation/artifact';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/forms/form-dialog.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { TextArea } from '../../../kit/text-area.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { sha256 } from '../../../lib/sha256.ts';
import { artifactTextQuery } from './artifact-text.ts';

interface EditArtifactProps {
  threadId: string;
  path: string;
  onClose: () => void;
}

/** Changes a text that the agent has made. What somebody else has changed meanwhile is not overwritten. */
export function EditArtifact(props: EditArtifactProps) {
  const { threadId, path, onClose } = props;
  const text = useText('chat');
  const stored = useQuery(artifactTextQuery(threadId, path));
  if (stored.data !== undefined) return <Editor {...props} stored={stored.data} />;
  return (
    <Dialog open onClose={onClose} title={text('files.editOf', { name: nameOf(path) })} wide>
      <QueryView query={stored}>{() => null}</QueryView>
    </Dialog>
  );
}

function Editor({ threadId, path, stored, onClose }: EditArtifactProps & { stored: string }) {
  const text = useText('chat');
  const cache = useQueryClient();
  const [read] = useState(stored);
  const [content, setContent] = useState(stored);
  const save = async () => {
    const body = { content, expected_sha256: sha256(read) };
    await gateway.call(putArtifact, { params: { thread_id: threadId, '*': path.slice(1) }, body });
    await cache.invalidateQueries({ queryKey: keys.thread(threadId) });
  };
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={text('files.editOf', { name: nameOf(path) })}
      submit={text('files.save')}
      onSubmit={save}
      disabled={content === read}
    >
      <Field label={text('files.content')}>
        <TextArea
          rows={18}
          spellCheck={false}
          className="font-mono"
          value={content}
          onChange={(event) => setContent(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

function nameOf(path: string): string {
  return path.split('/').at(-1) ?? path;
}
