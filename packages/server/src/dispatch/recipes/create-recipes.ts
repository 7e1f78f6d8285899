import type { Routes } from '../../http/app.ts';
import { readTogether } from '../../platform/database/snapshot.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { StoredFileStore } from '../files/stored-file-store.ts';
import type { Tasks } from '../intake/tasks.ts';
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
}: Pick<DispatchParts, 'database' | 'links' | 'guard'> & { tasks: Tasks }): Routes {
  const recipes = new Recipes({
    together: readTogether(database, (frozen) => ({
      files: new StoredFileStore(frozen),
      store: new RecipeStore(frozen),
    })),
    tasks,
  });
  const lineage = new Lineage({
    together: readTogether(database, (frozen) => ({
      files: new StoredFileStore(frozen),
      store: new LineageStore(frozen),
    })),
    links,
  });
  return recipeRoutes({ recipes, lineage, guard });
}
