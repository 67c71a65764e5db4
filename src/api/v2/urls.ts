import type { Site } from '../../domain/services.ts'

/** The addresses of version 2, absolute; made here and nowhere else. */
const root = ({ baseUrl }: Site) => `${baseUrl}/api/v2/`

export const surveyUri = (site: Site, id: number) => `${root(site)}surveys/${id}/`
export const userUri = (site: Site, id: number) => `${root(site)}users/${id}/`
export const groupUri = (site: Site, id: number) => `${root(site)}groups/${id}/`
export const planUri = (site: Site, name: string) => `${root(site)}plan/${encodeURIComponent(name)}/`
export const contactUri = (site: Site, id: number) => `${root(site)}contacts/${id}/`
export const contactListUri = (site: Site, id: number) => `${root(site)}contact-lists/${id}/`
export const emailUri = (site: Site, id: number) => `${root(site)}emails/${id}/`
