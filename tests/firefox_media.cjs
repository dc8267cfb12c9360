// Loaded into playwright's driver for Firefox. The protocol by which it drives Debian's
// Firefox has no command yet that emulates media, which playwright sends for each page: in its
// place goes one without effect.
const stringify = JSON.stringify;
JSON.stringify = (value, ...rest) => {
  const isUnknown = value?.method === "emulation.setMediaFeaturesOverride";
  return stringify(isUnknown ? { id: value.id, method: "session.status", params: {} } : value, ...rest);
};
