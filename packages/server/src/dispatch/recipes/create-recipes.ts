import { readTogether } from '../../platform/database/snapshot.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { LentFiles } from '../files/lent-files.ts';
import { StoredFileStore } from '../files/stored-file-store.ts';
import type { Tasks } from '../intake/tasks.ts';
import { ShareStore } from '../shares/share-store.ts';
import { Lineage } from './lineage.ts';
import { LineageStore } from './lineage-store.ts';
import { recipeRoutes } from './recipe-routes.ts';
import { RecipeStore } from './recipe-store.ts';
import { Recipes } from './recipes.ts';

export function createRecipes({
  database,
  links,
  guard,
  tasks,
  lentFiles,
}: Pick<DispatchParts, 'database' | 'links' | 'guard'> & { tasks: Tasks; lentFiles: LentFiles }) {
  const recipes = new Recipes({
    together: readTogether(database, (frozen) => ({
      files: new StoredFileStore(frozen),
      shares: new ShareStore(frozen),
      store: new RecipeStore(frozen),
    })),
    tasks,
    lentFiles,
  });
  const lineage = new Lineage({
    together: readTogether(database, (frozen) => ({
      files: new StoredFileStore(frozen),
      store: new LineageStore(frozen),
    })),
    links,
  });
  return { recipes, recipeRoutes: recipeRoutes({ recipes, lineage, guard }) };
}
