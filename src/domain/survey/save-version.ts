import { nextTurn } from '../../lib/next-turn.ts'
import type { Context } from '../context.ts'
import { useImages } from '../image/use.ts'
import { problems } from '../problem.ts'
import { findKeyConflicts, type NumberedStructure, numberStructure } from '../structure/numbering.ts'
import type { Structure } from '../structure/structure.ts'
import { checkImages } from './anonymity.ts'
import { type Survey, SurveyVersion } from './survey.ts'
import { recordVersion } from './versions.ts'

/** Returns the structure of a survey with the stable numbers of its choices and rows. */
export async function numberedStructureOf({ em }: Pick<Context, 'em'>, survey: Survey): Promise<NumberedStructure> {
  await em.populate(survey, ['structure', 'removed', 'questionNumbers'])
  // Structures that early versions of Canvass stored have no stable numbers.
  return { structure: numberStructure(survey.structure).structure, removed: survey.removed }
}

/**
 * Assigns stable numbers to the choices and rows of a structure.
 * @throws {Problem} `invalid_structure` when two answers would share a key
 */
export function assignNumbers(structure: Structure, before?: NumberedStructure): NumberedStructure {
  const numbered = numberStructure(structure, before)
  const errors = findKeyConflicts(numbered.structure)
  if (errors.length) throw problems.invalidStructure(errors)
  return numbered
}

/**
 * Saves a validated structure as the next version of a survey.
 * @throws {Problem} as {@link assignNumbers} and {@link checkImages}
 */
export async function saveVersion(
  context: Context,
  survey: Survey,
  structure: Structure,
): Promise<{ before: NumberedStructure; after: NumberedStructure }> {
  const { em, actor, now } = context
  const before = await numberedStructureOf(context, survey)
  await checkImages(context, survey, structure)
  if (JSON.stringify(before.structure) !== JSON.stringify(survey.structure)) {
    const key = { survey: survey.id, version: survey.version }
    await em.nativeUpdate(SurveyVersion, key, { structure: before.structure })
  }
  await nextTurn()
  const numbered = assignNumbers(structure, before)
  survey.setStructure(numbered, now)
  const version = { survey, version: survey.version, structure: numbered.structure, creator: actor.id, createdAt: now }
  em.create(SurveyVersion, version)
  await em.flush()
  await useImages(em, { survey_id: survey.id }, numbered.structure, { isKept: true, now })
  await recordVersion(context, survey, before.structure, numbered.structure)
  return { before, after: numbered }
}
