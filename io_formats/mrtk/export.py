from .document import Document
def to_document(clip, options, report, *, source=None, base=None, skeleton=None):
    return Document()
