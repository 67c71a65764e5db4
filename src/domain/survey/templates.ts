import type { Slice } from '../../lib/paging.ts'
import type { Context } from '../context.ts'
import { replaceTemplateImages, useImages } from '../image/use.ts'
import { checkName } from '../name.ts'
import { problems } from '../problem.ts'
import { findStructure } from './queries.ts'
import { assignNumbers } from './save-version.ts'
import { Template } from './survey.ts'
import { parseStructure } from './working-copy.ts'

/** Returns the templates of the actor without their structures, oldest first, with the total number. */
export async function listTemplates(
  { em, actor }: Context,
  { offset, limit }: Slice,
): Promise<{ total: number; templates: Template[] }> {
  const [templates, total] = await em.findAndCount(
    Template,
    { owner: actor.id },
    { orderBy: { id: 'asc' }, offset, limit },
  )
  return { total, templates }
}

/**
 * Returns a template of the actor with its structure.
 * @throws {Problem} `template_not_found`
 */
export const findTemplate = ({ em, actor }: Context, id: number) =>
  em.findOneOrFail(
    Template,
    { id, owner: actor.id },
    { populate: ['structure'], failHandler: problems.templateNotFound },
  )

/**
 * Creates a template from a structure or from a survey.
 * @throws {Problem} `invalid_structure`; `invalid_request` unless exactly one of `structure` and `survey` is set;
 *   `survey_not_found`, `forbidden`
 */
export async function createTemplate(
  context: Context,
  draft: { name: string; structure?: unknown; survey?: number | undefined },
): Promise<Template> {
  const { em, actor, now } = context
  const name = checkName(draft.name)
  if ((draft.structure === undefined) === (draft.survey === undefined))
    throw problems.invalidField(
      'structure',
      'mutually_exclusive',
      { other: 'survey' },
      'exactly one of structure and survey is required',
    )
  const structure =
    draft.survey === undefined
      ? assignNumbers(parseStructure(draft.structure)).structure
      : await findStructure(context, draft.survey)
  const template = em.create(Template, { owner: actor.id, name, structure, createdAt: now })
  await em.flush()
  await useImages(em, { template_id: template.id }, structure, { isKept: true, now })
  return template
}

/**
 * Changes the name or the structure of a template, or both.
 * @throws {Problem} `template_not_found`, `invalid_request`, `invalid_structure`
 */
export async function updateTemplate(
  context: Context,
  id: number,
  { name, structure }: { name?: string | undefined; structure?: unknown },
): Promise<Template> {
  const template = await findTemplate(context, id)
  if (name !== undefined) template.name = checkName(name)
  if (structure !== undefined) template.structure = parseStructure(structure)
  await context.em.flush()
  if (structure !== undefined) await replaceTemplateImages(context.em, id, template.structure, context.now)
  return template
}

/**
 * Deletes a template. Surveys created from it do not change.
 * @throws {Problem} `template_not_found`
 */
export async function deleteTemplate({ em, actor }: Context, id: number): Promise<void> {
  if (!(await em.nativeDelete(Template, { id, owner: actor.id }))) throw problems.templateNotFound()
}
