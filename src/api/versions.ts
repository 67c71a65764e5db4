/** The versions of the API that the service serves. To remove one, delete its folders and its line. */
export { v2 } from './v2/index.ts'
export { v3 } from './v3/index.ts'
