import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { threadUploadsQuery } from '../../lib/data/threads.ts';
import { useText } from '../../lib/i18n.ts';
import { isPicture, threadFileUrl } from '../../lib/thread-files.ts';
import { canEditArtifact } from './artifacts/artifact-text.ts';
import { EditArtifact } from './artifacts/edit-artifact.tsx';

/** The files that the agent has made in this thread, and those that the user has added. */
export function FilesPanel({
  threadId,
  values,
  open,
  onClose,
}: {
  threadId: string;
  values: Record<string, unknown>;
  open: boolean;
  onClose: () => void;
}) {
  const text = useText('chat');
  const uploads = useQuery({ ...threadUploadsQuery(threadId), enabled: open });
  const made = (Array.isArray(values.artifacts) ? values.artifacts : []).filter(
    (path) => typeof path === 'string',
  );
  return (
    <SidePanel open={open} onClose={onClose} title={text('files.title')}>
      <div className="flex flex-col gap-6">
        <Files
          title={text('files.made')}
          none={text('files.noneMade')}
          threadId={threadId}
          paths={made.toReversed()}
        />
        <Files
          title={text('files.uploaded')}
          none={text('files.noneUploaded')}
          threadId={threadId}
          paths={uploads.data?.files.map(({ virtual_path }) => virtual_path) ?? []}
        />
      </div>
    </SidePanel>
  );
}

function Files({
  title,
  none,
  threadId,
  paths,
}: {
  title: string;
  none: string;
  threadId: string;
  paths: string[];
}) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-body font-semibold">{title}</h3>
      {paths.length === 0 ? <p className="text-body text-text-2">{none}</p> : null}
      <ul className="flex flex-col gap-2">
        {paths.map((path) => (
          <li key={path} className="flex items-center gap-2">
            <FileLink threadId={threadId} path={path} />
            {canEditArtifact(path) ? <EditButton threadId={threadId} path={path} /> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function EditButton({ threadId, path }: { threadId: string; path: string }) {
  const text = useText('chat');
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Button
        size="s"
        aria-label={text('files.editOf', { name: path.split('/').at(-1) ?? path })}
        onClick={() => setEditing(true)}
      >
        {text('files.edit')}
      </Button>
      {isEditing ? <EditArtifact threadId={threadId} path={path} onClose={() => setEditing(false)} /> : null}
    </>
  );
}

/** A picture opens beside the page; whatever a browser could run is sent as a download by the gateway. */
function FileLink({ threadId, path }: { threadId: string; path: string }) {
  const name = path.split('/').at(-1) ?? path;
  const url = threadFileUrl(threadId, path);
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="flex min-w-0 flex-1 items-center gap-3 rounded-control text-body outline-accent hover:bg-sunken focus-visible:outline-2"
    >
      {isPicture(name) ? (
        <img
          src={url}
          alt=""
          loading="lazy"
          className="size-16 shrink-0 rounded-control bg-sunken object-cover"
        />
      ) : null}
      <span className="min-w-0 py-1 break-all">{name}</span>
    </a>
  );
}
