import type { Services } from '../../domain/services.ts'
import * as versions from '../../domain/survey/versions.ts'
import { paged } from '../paging.ts'
import type { Operation, Schemas } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri, userUri, versionUri } from './urls.ts'

const summaryView = (services: Services, one: versions.VersionSummary): Schemas['VersionSummary'] => ({
  version: one.version,
  created_at: one.createdAt.toISOString(),
  creator: userUri(services, one.creator),
  is_current: one.isCurrent,
  version_uri: versionUri(services, one.survey, one.version),
})

const versionView = (services: Services, one: versions.VersionDetails): Schemas['Version'] => ({
  ...summaryView(services, one),
  structure: one.structure,
})

export const listVersions: Operation<'listVersions'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, versions: found } = await versions.listVersions(context, path.survey_id, page)
  const results = found.map((one) => summaryView(context.services, one))
  return paged(`${surveyUri(context.services, path.survey_id)}versions/`, search, page, total, results)
}

export const restoreVersion: Operation<'restoreVersion'> = async ({ context, path, body }) => {
  const restored = await versions.restoreVersion(context, path.survey_id, body.restore)
  return { status: 201, body: versionView(context.services, restored) }
}

export const getVersion: Operation<'getVersion'> = async ({ context, path }) => {
  const version = await versions.findVersion(context, path.survey_id, path.version)
  return { status: 200, body: versionView(context.services, version) }
}

export const diffVersions: Operation<'diffVersions'> = async ({ context, path: { survey_id, version, other } }) => {
  const diff = await versions.diffVersions(context, survey_id, version, other)
  return { status: 200, body: { from: version, to: other, ...diff } }
}
