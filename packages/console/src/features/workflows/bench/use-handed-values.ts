import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import type { SavedWorkflowDetail } from '@switchyard/contract/dispatch/workflow';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { draftOf, type FormDraft } from '../../../kit/fields/field-draft.ts';
import type { FormState } from '../../../kit/fields/use-form-state.ts';
import { isMissing } from '../../../kit/states/error-text.ts';
import { useToast } from '../../../kit/toast.tsx';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { fileRecipeQuery } from '../../../lib/data/files.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import { useLabelOf } from '../form/form-label.ts';
import { fieldForFile, handedValues } from './handed-values.ts';

/** A form with something taken over, and what the person is told about it. */
interface Taken {
  draft: FormDraft;
  said: string[];
}

/**
 * Fills the form with what the address hands over: `from` is a file whose values are wanted, `file` one that becomes an input.
 * They leave the address then, so that a reload keeps what was changed since.
 */
export function useHandedValues(workflow: SavedWorkflowDetail, form: FormState): void {
  const text = useText('workflows');
  const labelOf = useLabelOf();
  const format = useFormat();
  const toast = useToast();
  const cache = useQueryClient();
  const [from] = useQueryState('from');
  const [fileId] = useQueryState('file');
  const [input] = useQueryState('input');
  // The field of the file opens the painting of a mask.
  const [paint] = useQueryState('paint');
  const masked = workflow.parameters.filter(({ mask, hidden }) => mask !== undefined && !hidden);

  const takeValues = ({ draft, said }: Taken, recipe: FileRecipe): Taken => {
    const { values, lostFields } = handedValues(workflow.parameters, recipe);
    const { workflowId, version = 0 } = recipe.savedWorkflow ?? {};
    // Its graph may have become this workflow.
    const isUnsaved = recipe.savedWorkflow === null;
    const age = version === workflow.version ? 'handed.values' : 'handed.version';
    const words = text(workflowId === workflow.id ? age : isUnsaved ? 'handed.values' : 'handed.other', {
      name: recipe.filename,
      version,
    });
    const labels = lostFields.map((field) => labelOf(field, workflow.parameters));
    const lost = labels.length > 0 ? [text('handed.lost', { fields: format.list(labels) })] : [];
    // The seeds stay fixed, so that the same picture can be made again.
    const filled = draftOf(workflow.parameters, { values: { ...draft.values, ...values } });
    return { draft: filled, said: [...said, words, ...lost] };
  };
  const takeFile = ({ draft, said }: Taken, { fileId, filename }: FileRecipe): Taken => {
    const toPaint = paint === null ? undefined : masked.find(({ mask }) => mask === 'alpha');
    const field = fieldForFile(workflow.parameters, draft, input ?? toPaint?.name ?? null);
    if (field === undefined) return { draft, said: [...said, text('handed.noField')] };
    const words = text('handed.file', { name: filename, field: labelOf(field, workflow.parameters) });
    const values = { ...draft.values, [field.name]: { fileId, filename } };
    const noMask = paint !== null && masked.length === 0 ? [text('handed.noMask')] : [];
    return { draft: { ...draft, values }, said: [...said, words, ...noMask] };
  };
  const take = async (isCurrent: () => boolean): Promise<void> => {
    const recipeOf = (id: string) => cache.fetchQuery({ ...fileRecipeQuery(id), retry: false });
    const before = form.draft;
    try {
      let taken: Taken = { draft: before, said: [] };
      if (from !== null) taken = takeValues(taken, await recipeOf(from));
      if (fileId !== null) taken = takeFile(taken, await recipeOf(fileId));
      if (!isCurrent()) return;
      form.fill(taken.draft);
      toast({ text: format.sentences(taken.said), undo: () => form.fill(before) });
    } catch (error) {
      if (!isCurrent()) return;
      toast(isMissing(error) ? { text: text('handed.gone'), tone: 'failed' } : { error });
    }
    setQuery({ from: null, file: null, input: null, ...(masked.length === 0 && { paint: null }) });
  };

  const current = useRef(take);
  current.current = take;
  useEffect(() => {
    if (from === null && fileId === null) return;
    let isShown = true;
    void current.current(() => isShown);
    return () => {
      isShown = false;
    };
  }, [from, fileId]);
}
