import { Canvass } from 'canvass-client'

// Two of username, password and apiKey, or an OAuth 2.0 access token as `token`.
const canvass = new Canvass({
  baseUrl: process.env.CANVASS_URL,
  username: process.env.CANVASS_USERNAME,
  password: process.env.CANVASS_PASSWORD,
})
console.log(await canvass.v2.getCurrentUser())
