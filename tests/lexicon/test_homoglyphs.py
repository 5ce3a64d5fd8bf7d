"""Look-alike characters."""

from __future__ import annotations

import string
import unicodedata

import pytest

from hardtext.lexicon import homoglyphs


@pytest.mark.parametrize("character, first", [
    ("a", "аɑα"), ("e", "е"), ("o", "оο"), ("c", "сϲ"), ("p", "р"), ("x", "х"), ("y", "у"), ("i", "і"), ("l", "ⅼ"),
    ("A", "АΑ"), ("I", "ІӀΙ"), ("n", "ո"), ("5", "Ƽ"), ("s", "ѕ"),
])
def test_the_closest_come_first(character, first):
    assert "".join(homoglyphs.of(character)).startswith(first)


def test_every_look_alike_is_one_usable_character():
    assert all(homoglyphs.of(c) for c in string.ascii_letters + string.digits)
    for character in map(chr, range(32, 0x3000)):
        found = homoglyphs.of(character)
        assert character not in found and len(set(found)) == len(found)
        for other in found:
            assert len(other) == 1
            assert unicodedata.category(other)[0] not in "MC", "combining, control, unassigned or private"
            assert unicodedata.bidirectional(other) not in ("R", "AL"), "would reorder the text around it"
            assert homoglyphs.visually_identical(character, other)


@pytest.mark.parametrize("character", ["", "🔥", "\ud800", "\u0301", "ab"])
def test_characters_without_look_alikes(character):
    assert homoglyphs.of(character) == ()


def test_outlines_are_the_same_in_a_common_font():
    fonts = pytest.importorskip("fontTools.ttLib")
    pens = pytest.importorskip("fontTools.pens.recordingPen")
    matplotlib = pytest.importorskip("matplotlib")
    font = fonts.TTFont(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf")
    glyphs, names = font.getGlyphSet(), font.getBestCmap()

    def outline(character):
        pen = pens.DecomposingRecordingPen(glyphs)
        glyphs[names[ord(character)]].draw(pen)
        return pen.value, glyphs[names[ord(character)]].width

    for latin, others in homoglyphs._SAME_OUTLINE.items():
        assert homoglyphs.of(latin)[: len(others)] == tuple(others)
        assert all(outline(c) == outline(latin) for c in others), latin


@pytest.mark.parametrize("text, expected", [
    ("Sale", "Sale"), ("Ѕаⅼе", "Sale"), ("te\u200bam", "tearn"), ("І1|l", "llll"), ("0", "O"), ("𝐅𝐚𝐤𝐞", "Fake"), ("", ""),
    ("\u037e", ";"), ("é", "e\u0301"), ("\ud800", "\ud800"), ("שלום", "שלlם"), ("rn", "rn"), ("🔥 ~", "🔥 ~"),
])
def test_skeleton_by_hand(text, expected):
    assert homoglyphs.skeleton(text) == expected


def test_a_skeleton_is_its_own_skeleton():
    for character in map(chr, range(32, 0x3000)):
        once = homoglyphs.skeleton(character)
        assert homoglyphs.skeleton(once) == once, hex(ord(character))


def test_visually_identical():
    assert homoglyphs.visually_identical("scope", "ѕсоре") and homoglyphs.visually_identical("modern", "modem")
    assert not homoglyphs.visually_identical("scope", "slope") and not homoglyphs.visually_identical("Fake", "fake")


def test_published_map():
    assert homoglyphs.TURQUAZ["l"] == "\u217c" and homoglyphs.TURQUAZ["o"] == "\u043e\u03bf"
    for latin, others in homoglyphs.TURQUAZ.items():
        assert all(homoglyphs.visually_identical(latin, other) for other in others)
