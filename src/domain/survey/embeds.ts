import type { Slice } from '../../lib/paging.ts'
import { findCollector } from '../collector/queries.ts'
import type { Context } from '../context.ts'
import { problems } from '../problem.ts'
import type { Site } from '../site.ts'
import { deployAddress } from './address.ts'
import { Embed, type EmbedKind } from './embed.ts'
import { findSurvey } from './queries.ts'
import { POPUP_SCRIPT, snippet } from './snippet.ts'

const parts = { populate: ['survey.owner'], orderBy: { id: 'asc' } } as const
const seen = ({ actor }: Context) => ({ survey: { owner: actor.id } })

/** The actor's embeds with their surveys, oldest first, and how many there are in all. */
export async function listEmbeds(
  context: Context,
  { offset, limit }: Slice,
): Promise<{ total: number; embeds: Embed[] }> {
  const [embeds, total] = await context.em.findAndCount(Embed, seen(context), { ...parts, offset, limit })
  return { total, embeds }
}

/** One embed with its survey. @throws {Problem} `embed_not_found` */
export const findEmbed = (context: Context, id: number): Promise<Embed> =>
  context.em.findOneOrFail(Embed, { id, ...seen(context) }, { ...parts, failHandler: problems.embedNotFound })

/**
 * Makes a snippet that puts a survey into somebody else's page.
 * @param draft.collector by which the responses come in; absent: the default one
 * @throws {Problem} `survey_not_found`, `collector_not_found` (also for a collector of another survey)
 */
export async function createEmbed(
  context: Context,
  draft: { survey: number; kind: EmbedKind; collector?: number | undefined },
): Promise<Embed> {
  const { em, now } = context
  const survey = await findSurvey(context, draft.survey)
  const collector = draft.collector === undefined ? null : await findCollector(context, draft.collector)
  if (collector && collector.survey.id !== survey.id) throw problems.collectorNotFound()
  const embed = em.create(Embed, { survey, collector, kind: draft.kind, createdAt: now })
  await em.flush()
  return findEmbed(context, embed.id)
}

/** Where an embed leads, and the HTML to paste. */
export function placedEmbed(embed: Embed, { baseUrl }: Site): { address: string; html: string } {
  const survey = embed.survey.unwrap()
  const { username } = survey.owner.unwrap()
  const address = deployAddress(baseUrl, { username, slug: survey.slug }, embed.collector?.id)
  const script = `${baseUrl}${POPUP_SCRIPT}`
  return { address, html: snippet(embed.kind, { title: survey.name, address, script }) }
}

/** What has been pasted stays there and goes on working. @throws {Problem} `embed_not_found` */
export async function deleteEmbed(context: Context, id: number): Promise<void> {
  context.em.remove(await findEmbed(context, id))
  await context.em.flush()
}
