/** The versions of the API that the service serves. To remove a version, delete its folders and its line here. */
export { v2 } from './v2/index.ts'
export { v3 } from './v3/index.ts'
