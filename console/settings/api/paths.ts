/** Where the token is, and where it is changed. */
export const tokenPath = '/settings/api'
export const changeTokenPath = '/settings/api/change'
