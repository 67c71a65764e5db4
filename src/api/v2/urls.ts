import type { Services } from '../../domain/services.ts'

/** Absolute URLs of version 2. */
const root = ({ baseUrl }: Services) => `${baseUrl}/api/v2/`

export const surveyUri = (services: Services, id: number) => `${root(services)}surveys/${id}/`
export const userUri = (services: Services, id: number) => `${root(services)}users/${id}/`
export const groupUri = (services: Services, id: number) => `${root(services)}groups/${id}/`
export const planUri = (services: Services, name: string) => `${root(services)}plan/${encodeURIComponent(name)}/`
export const contactUri = (services: Services, id: number) => `${root(services)}contacts/${id}/`
export const contactListUri = (services: Services, id: number) => `${root(services)}contact-lists/${id}/`
export const emailUri = (services: Services, id: number) => `${root(services)}emails/${id}/`
