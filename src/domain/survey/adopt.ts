import type { Context } from '../context.ts'
import type { Structure } from '../structure/structure.ts'
import type { Survey } from './survey.ts'
import { SurveyVersion } from './version.ts'

/** Gives a survey another structure, known to be right, and keeps it as the next version. */
export async function adoptStructure({ em, actor, now }: Context, survey: Survey, structure: Structure): Promise<void> {
  survey.restructure(structure, now)
  em.create(SurveyVersion, { survey, version: survey.version, structure, creator: actor.id, createdAt: now })
  await em.flush()
}
