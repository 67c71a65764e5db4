import type { Site } from '../../domain/services.ts'
import * as versions from '../../domain/survey/versions.ts'
import { paged } from '../paging.ts'
import type { Operation, Schemas } from './operation.ts'
import { collectionPage } from './page.ts'
import { surveyUri, userUri, versionUri } from './urls.ts'

const summaryView = (site: Site, one: versions.VersionSummary): Schemas['VersionSummary'] => ({
  version: one.version,
  created_at: one.createdAt.toISOString(),
  creator: userUri(site, one.creator),
  is_current: one.isCurrent,
  version_uri: versionUri(site, one.survey, one.version),
})

const versionView = (site: Site, one: versions.KeptVersion): Schemas['Version'] => ({
  ...summaryView(site, one),
  structure: one.structure,
})

export const listVersions: Operation<'listVersions'> = async ({ context, path, query, search }) => {
  const page = collectionPage(query)
  const { total, versions: found } = await versions.listVersions(context, path.survey_id, page)
  const results = found.map((one) => summaryView(context.site, one))
  return paged(`${surveyUri(context.site, path.survey_id)}versions/`, search, page, total, results)
}

export const restoreVersion: Operation<'restoreVersion'> = async ({ context, path, body }) => {
  const restored = await versions.restoreVersion(context, path.survey_id, body.restore)
  return { status: 201, body: versionView(context.site, restored) }
}

export const getVersion: Operation<'getVersion'> = async ({ context, path }) => {
  const version = await versions.findVersion(context, path.survey_id, path.version)
  return { status: 200, body: versionView(context.site, version) }
}

export const diffVersions: Operation<'diffVersions'> = async ({ context, path: { survey_id, version, other } }) => {
  const diff = await versions.diffVersions(context, survey_id, version, other)
  return { status: 200, body: { from: version, to: other, ...diff } }
}
