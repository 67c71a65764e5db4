import type { Site } from '../../domain/services.ts'

/** The addresses of version 3, absolute; made here and nowhere else. */
const root = ({ baseUrl }: Site) => `${baseUrl}/api/v3/`

/** The collections that the index names (specification, "Index of v3 collections"). */
export const collections = [
  'templates',
  'surveys',
  'collectors',
  'contacts',
  'embeds',
  'contact-lists',
  'webhooks',
] as const
export type Collection = (typeof collections)[number]

export const collectionUri = (site: Site, name: Collection) => `${root(site)}${name}/`
export const surveyUri = (site: Site, id: number) => `${root(site)}surveys/${id}/`
export const responsesUri = (site: Site, surveyId: number) => `${surveyUri(site, surveyId)}responses/`
export const collectorUri = (site: Site, id: number) => `${root(site)}collectors/${id}/`
export const templateUri = (site: Site, id: number) => `${root(site)}templates/${id}/`
export const embedUri = (site: Site, id: number) => `${root(site)}embeds/${id}/`
export const userUri = (site: Site, id: number) => `${root(site)}users/${id}/`
export const questionUri = (site: Site, surveyId: number, id: string) =>
  `${surveyUri(site, surveyId)}questions/${encodeURIComponent(id)}/`
export const versionUri = (site: Site, surveyId: number, version: number) =>
  `${surveyUri(site, surveyId)}versions/${version}/`
export const contactUri = (site: Site, id: number) => `${root(site)}contacts/${id}/`
export const contactListUri = (site: Site, id: number) => `${root(site)}contact-lists/${id}/`
export const reportUri = (site: Site, surveyId: number, id: number) => `${surveyUri(site, surveyId)}reports/${id}/`
export const webhookUri = (site: Site, id: number) => `${root(site)}webhooks/${id}/`
