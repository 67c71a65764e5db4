import type { Services } from '../../domain/services.ts'

/** Absolute URLs of version 3. */
export const rootUri = ({ baseUrl }: Services) => `${baseUrl}/api/v3/`

/** The collections of the index (docs/specification.md 5.12). */
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

export const collectionUri = (services: Services, name: Collection | 'gallery' | 'question-library') =>
  `${rootUri(services)}${name}/`
export const surveyUri = (services: Services, id: number) => `${rootUri(services)}surveys/${id}/`
export const responsesUri = (services: Services, surveyId: number) => `${surveyUri(services, surveyId)}responses/`
export const collectorUri = (services: Services, id: number) => `${rootUri(services)}collectors/${id}/`
export const templateUri = (services: Services, id: number) => `${rootUri(services)}templates/${id}/`
export const galleryTemplateUri = (services: Services, id: string) => `${rootUri(services)}gallery/${id}/`
export const embedUri = (services: Services, id: number) => `${rootUri(services)}embeds/${id}/`
export const userUri = (services: Services, id: number) => `${rootUri(services)}users/${id}/`
export const importUri = (services: Services, surveyId: number) => `${surveyUri(services, surveyId)}import/`
export const questionUri = (services: Services, surveyId: number, id: string) =>
  `${surveyUri(services, surveyId)}questions/${encodeURIComponent(id)}/`
export const versionUri = (services: Services, surveyId: number, version: number) =>
  `${surveyUri(services, surveyId)}versions/${version}/`
export const contactUri = (services: Services, id: number) => `${rootUri(services)}contacts/${id}/`
export const contactListUri = (services: Services, id: number) => `${rootUri(services)}contact-lists/${id}/`
export const reportUri = (services: Services, surveyId: number, id: number) =>
  `${surveyUri(services, surveyId)}reports/${id}/`
export const webhookUri = (services: Services, id: number) => `${rootUri(services)}webhooks/${id}/`
